//! A domain that nobody knows is listed, drawn, tabled, searched, looked through, compared and found in, by the same
//! questions that the page asks.

mod timber;

use std::sync::Mutex;

use crosscut_run::Run;
use crosscut_workbench::{Client, Entry, Lane, LensSpec, OpenRun, Settings, Sink, Workbench};
use serde_json::{Value, json};

/// A workbench over runs of so many trunks.
fn bench(trunks: &[u32]) -> (tempfile::TempDir, Workbench) {
    let dir = tempfile::tempdir().unwrap();
    let open = |(i, &trunks): (usize, &u32)| {
        let path = dir.path().join(format!("stand{i}.crosscut"));
        timber::write(&path, trunks);
        OpenRun::open(Run::open(&path).unwrap(), &[timber::ENTRY], &Settings::new()).unwrap()
    };
    let runs = trunks.iter().enumerate().map(open).collect();
    (dir, Workbench::new(runs, "test"))
}

#[derive(Default)]
struct Kept(Mutex<Vec<Vec<u8>>>);

impl Sink for Kept {
    fn send(&self, message: Vec<u8>) {
        self.0.lock().unwrap().push(message);
    }
}

fn json_of(message: &[u8]) -> Value {
    let length = u32::from_le_bytes(message[..4].try_into().unwrap()) as usize;
    serde_json::from_slice(&message[4..4 + length]).unwrap()
}

fn ask_all(bench: &Workbench, question: Value) -> (Lane, Vec<Value>, usize) {
    let mut question = question;
    question["id"] = 7.into();
    let sink = Kept::default();
    match bench.read(&question.to_string()) {
        Ok(asked) => {
            bench.answer(&asked, &Client::default(), &sink);
            let messages = sink.0.into_inner().unwrap();
            let columns = messages.last().map_or(0, |message| {
                message.len() - 4 - u32::from_le_bytes(message[..4].try_into().unwrap()) as usize
            });
            (asked.lane, messages.iter().map(|message| json_of(message)).collect(), columns)
        }
        Err(message) => (Lane::Quick, vec![json_of(&message)], 0),
    }
}

fn ask(bench: &Workbench, question: Value) -> Value {
    let (_, mut answers, _) = ask_all(bench, question);
    let last = answers.pop().unwrap();
    assert_eq!(last["id"], 7);
    assert!(last["error"].is_null(), "{last}");
    last["ok"].clone()
}

fn refused(bench: &Workbench, question: Value) -> String {
    let (_, mut answers, _) = ask_all(bench, question);
    answers.pop().unwrap()["error"].as_str().expect("a refusal").to_owned()
}

fn look(view: &str) -> Value {
    json!({ "v": 1, "view": view, "run": 0, "size": { "w": 800.0, "h": 600.0 } })
}

#[test]
fn it_is_listed() {
    let (_dir, bench) = bench(&[4]);
    let hello = ask(&bench, json!({ "ask": "hello" }));
    let run = &hello["runs"][0];
    let names = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&run["trees"]), ["logs", "places", "lines"]);
    let views = ["overview", "lines", "timber.stand", "timber.rings", "timber.growth", "table", "compare"];
    assert_eq!(names(&run["views"]), views);
    assert_eq!(run["time"], json!([0.0, 1000.0]));
    assert!(hello["palettes"]["light"].as_array().unwrap().len() > 24);
}

#[test]
fn it_is_drawn_opened_and_revealed() {
    let (_dir, bench) = bench(&[5]);
    let (lane, answers, columns) = ask_all(&bench, json!({ "ask": "scene", "look": look("timber.stand") }));
    let ok = &answers[0]["ok"];
    assert_eq!(lane, Lane::Quick);
    assert_eq!(ok["shown"]["is"], "scene");
    assert_eq!(ok["visible"], 5);
    assert!(ok["shown"]["head"]["boxes"]["n"].as_u64().unwrap() >= 5 && columns > 0);

    let on = |node: u32| json!({ "run": 0, "tree": "logs", "nodes": node.to_string() });
    let act = |name: &str, on: Value| json!({ "name": name, "on": on, "numbers": [] });
    let opened = json!({ "ask": "scene", "look": look("timber.stand"), "act": act("open", on(1)) });
    assert_eq!(ask(&bench, opened)["visible"], 4 + 2);
    // A log of the wide trunk hides in a gap until it is revealed.
    let revealed = json!({ "ask": "scene", "look": look("timber.stand"), "act": act("reveal", on(60)) });
    let revealed = ask(&bench, revealed);
    assert_eq!(revealed["select"]["nodes"], "60");
    let largest = json!({ "ask": "scene", "look": look("timber.stand"), "act": { "name": "largest" } });
    assert_eq!(ask(&bench, largest)["select"]["nodes"], "8");
    let leaf = json!({ "ask": "scene", "look": look("timber.stand"), "act": act("open", on(2)) });
    assert_eq!(refused(&bench, leaf), "there is nothing inside to show");
    for wrong in [
        json!({ "ask": "scene", "look": look("timber.moss") }),
        json!({ "ask": "scene", "look": look("timber.stand"), "act": { "name": "burn" } }),
        json!({ "ask": "scene", "look": { "view": "timber.stand", "run": 3 } }),
        json!({ "ask": "scene", "look": { "view": "timber.stand", "run": 0, "options": { "colour": "green" } } }),
        json!({ "ask": "scene", "look": { "view": "timber.stand", "run": 0, "options": { "smell": "pine" } } }),
        json!({ "ask": "scene", "look": { "view": "timber.stand", "run": 0, "scope": { "time": [5.0, 1.0] } } }),
        json!({ "ask": "scene", "look": { "view": "timber.stand", "run": 0, "trees": { "logs": { "cut": "?" } } } }),
        json!({ "ask": "fell" }),
        json!(["no", "object"]).get(0).map(|_| json!({ "ask": 3 })).unwrap(),
    ] {
        assert!(!refused(&bench, wrong.clone()).is_empty(), "{wrong}");
    }
}

#[test]
fn a_lens_folds_what_it_does_not_choose() {
    let (_dir, bench) = bench(&[6]);
    let tree = ask(&bench, json!({ "ask": "tree", "run": 0, "tree": "logs" }));
    let lens = &tree["lenses"][0];
    assert_eq!((&lens["name"], &lens["value"]), (&json!("rotten"), &json!(0.9)));
    let count = lens["count"].as_u64().unwrap();
    assert!(count > 0 && lens["worst"]["tree"] == "logs");
    let all =
        json!({ "ask": "tree", "run": 0, "tree": "logs", "lenses": [{ "name": "rotten", "value": 0.0 }] });
    assert!(ask(&bench, all)["lenses"][0]["count"].as_u64().unwrap() > count);

    let mut through = look("timber.stand");
    through["trees"] = json!({ "logs": { "lens": { "name": "rotten" } } });
    let act = json!({ "name": "depth", "numbers": [9] });
    let shown = ask(&bench, json!({ "ask": "scene", "look": through, "act": act }));
    let plain = json!({ "ask": "scene", "look": look("timber.stand"), "act": act });
    let plain = ask(&bench, plain);
    assert!(shown["visible"].as_u64().unwrap() < plain["visible"].as_u64().unwrap(), "{shown}");
}

#[test]
fn it_is_tabled_sorted_and_filtered() {
    let (_dir, bench) = bench(&[5]);
    let table = |change: Value| {
        let mut question =
            json!({ "ask": "table", "look": look("timber.stand"), "tree": "logs", "count": 100 });
        for (key, value) in change.as_object().unwrap() {
            question[key] = value.clone();
        }
        ask(&bench, question)
    };
    let plain = table(json!({}));
    let columns: Vec<&str> =
        plain["columns"].as_array().unwrap().iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(columns, ["name", "kind", "sound", "volume", "rot"]);
    assert_eq!(plain["total"], 5);
    let volumes = |table: &Value| -> Vec<f64> {
        table["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["cells"][3]["value"].as_f64().unwrap())
            .collect()
    };
    let sorted = table(json!({ "sort": "volume", "descending": true }));
    assert!(volumes(&sorted).is_sorted_by(|a, b| a >= b));
    assert_eq!(sorted["rows"][0]["cells"][0]["text"], "trunk 2");
    assert_eq!(table(json!({ "filter": "TRUNK 3" }))["total"], 1);
    assert_eq!(table(json!({ "from": 4 }))["rows"].as_array().unwrap().len(), 1);
    // Totals are the same at every cut.
    let sum: f64 = volumes(&plain).iter().sum();
    let mut open = look("timber.stand");
    open["trees"] = json!({ "logs": { "cut": "0.0.8" } });
    assert_eq!(volumes(&table(json!({ "look": open }))).iter().sum::<f64>(), sum);
    let mut rotten = look("timber.stand");
    rotten["trees"] = json!({ "logs": { "lens": { "name": "rotten" } } });
    let flat = table(json!({ "look": rotten, "flat": true, "sort": "rot" }));
    assert!(flat["rows"].as_array().unwrap().iter().all(|row| row["cells"][1]["text"] == "log"));
    let wrong =
        json!({ "ask": "table", "look": look("timber.stand"), "tree": "logs", "count": 9, "sort": "moss" });
    assert!(refused(&bench, wrong).contains("name, kind, sound, volume, rot"));
    let places = table(json!({ "tree": "places" }));
    assert_eq!(places["rows"][3]["cells"][2]["value"], 4.0);
}

#[test]
fn it_is_searched_and_told_about() {
    let (_dir, bench) = bench(&[5]);
    let found = ask(&bench, json!({ "ask": "search", "run": 0, "words": "trunk 3", "limit": 9 }));
    assert_eq!(found["trees"][0]["hits"][0]["title"], "trunk trunk 3");
    // Lines come first.
    let lines = ask(&bench, json!({ "ask": "search", "run": 0, "words": "saw.c:12", "limit": 9 }));
    assert_eq!(lines["trees"][0]["tree"], "lines");
    let number = ask(&bench, json!({ "ask": "search", "run": 0, "words": "l8", "limit": 9 }));
    assert_eq!(number["trees"][0]["hits"][0]["selection"]["nodes"], "8");
    let about =
        ask(&bench, json!({ "ask": "about", "selection": number["trees"][0]["hits"][0]["selection"] }));
    assert_eq!((&about["title"], &about["crumbs"][0]["title"]), (&json!("trunk 2"), &json!("stand")));
    let nowhere = json!({ "ask": "about", "selection": { "run": 0, "tree": "logs", "nodes": "99999" } });
    assert!(refused(&bench, nowhere).contains("there is no node 99999"));
}

#[test]
fn a_selection_is_lit_in_other_trees() {
    let (_dir, bench) = bench(&[5]);
    // Line saw.c:12 felled trunk 2: find it by its source line.
    let lines = ask(&bench, json!({ "ask": "search", "run": 0, "words": "saw.c:12", "limit": 9 }));
    let mut at = look("timber.stand");
    at["selected"] = lines["trees"][0]["hits"][0]["selection"].clone();
    let light = ask(&bench, json!({ "ask": "light", "look": at }));
    assert_eq!((&light["by"], &light["trees"][0]["nodes"]), (&json!("source line"), &json!("8")));
    // A log inside the closed trunk: the trunk stands in.
    let mut inside = look("timber.stand");
    inside["selected"] = json!({ "run": 0, "tree": "logs", "nodes": "20" });
    let light = ask(&bench, json!({ "ask": "light", "look": inside }));
    assert_eq!(light["trees"][0]["above"], json!([0, 8]));
    assert_eq!(light["by"], "same tree");
}

#[test]
fn its_finding_is_on_the_overview() {
    let (_dir, bench) = bench(&[30]);
    let sheet = ask(&bench, json!({ "ask": "overview", "run": 0 }));
    let finding = sheet["blocks"].as_array().unwrap().iter().find(|block| block["is"] == "finding").unwrap();
    assert_eq!((&finding["id"], &finding["number"]), (&json!("rot"), &json!(1)));
    assert_eq!(finding["severity"], "medium");
    assert_eq!(finding["show"]["view"], "timber.stand");
    assert_eq!(bench.info_json(0).unwrap()["timber"], bench.report_json(0).unwrap()["timber"]);
    assert_eq!(bench.report_json(0).unwrap()["findings"][0]["do"], "fell earlier");
}

#[test]
fn the_command_line_knows_what_it_says() {
    let (dir, bench) = bench(&[30, 5]);
    let path = dir.path().join("stand0.crosscut");
    assert_eq!(bench.line(0).unwrap(), format!("{}: A stand of 30 trunks", path.display()));
    let info = bench.info(0).unwrap();
    assert!(info[0].contains(" on disk, run format ") && info[1].starts_with("  made "), "{info:?}");
    let json = bench.info_json(0).unwrap();
    let keys: Vec<&str> = json.keys().map(String::as_str).collect();
    assert_eq!(keys, ["clock", "crosscut", "partial", "places", "timber"]);
    assert_eq!((&json["places"], &json["partial"]), (&json!(4), &json!(false)));

    let report = bench.report(0).unwrap();
    assert_eq!((report[0].as_str(), report[1].as_str()), ("stand0: A stand of 30 trunks", ""));
    let finding = report.iter().find(|line| line.starts_with(" 1. ")).unwrap();
    let what = bench.report_json(0).unwrap()["findings"][0]["what"].clone();
    assert!(finding.ends_with(&format!("%, medium) rot: {}", what.as_str().unwrap())), "{finding}");
    assert_eq!(report.last().unwrap(), "    fell earlier");

    let compared = bench.compared(0, 1).unwrap();
    assert_eq!(compared.differences[0].name, "Volume");
    assert_eq!(compared.json["timber"][0]["rows"][0]["value"]["is"], "difference");
    assert!(compared.no_baseline.is_some());
}

#[test]
fn it_is_written_for_other_tools() {
    let (_dir, bench) = bench(&[5]);
    let domain = &bench.runs[0].domains[0];
    let rotten = LensSpec { name: "rotten".to_owned(), value: None };
    let exported = domain.export(timber::ENTRY.exports[0].word, Some(&rotten)).unwrap();
    assert_eq!(exported.notes, ["rotten is not marked on a bill"]);
    let mut bill = Vec::new();
    (exported.write)(&mut bill).unwrap();
    let bill = String::from_utf8(bill).unwrap();
    assert!(bill.starts_with("trunk 0 ") && bill.lines().count() == 5, "{bill}");
    assert!(domain.export("poem", None).is_err());
}

#[test]
fn a_run_without_any_domain_still_says_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bare.crosscut");
    timber::write(&path, 3);
    let registry = &[Entry { word: "moss", open: |_, _| Ok(None), ..timber::ENTRY }];
    let open = || Run::open(&path).unwrap();
    let refusal = OpenRun::open(open(), registry, &Settings::new()).err().unwrap();
    assert!(refusal.0.ends_with("bare.crosscut: this run has no moss"), "{refusal}");
    let run = OpenRun::with_any(open(), registry, &Settings::new()).unwrap();
    let bench = Workbench::new(vec![run], "test");
    assert_eq!(bench.line(0).unwrap(), format!("{}: no moss", path.display()));
    assert_eq!(bench.info(0).unwrap().last().unwrap(), "  moss          none");
    assert_eq!(bench.info_json(0).unwrap()["places"], 4);
}

#[test]
fn it_is_compared() {
    let (_dir, bench) = bench(&[5, 6]);
    let sheet = ask(&bench, json!({ "ask": "overview", "run": 0, "against": 1 }));
    assert_eq!(sheet["blocks"][0]["rows"][0]["value"]["is"], "difference");
    let mut two = look("timber.rings");
    two["against"] = json!({ "runs": [1] });
    let drawn = ask(&bench, json!({ "ask": "scene", "look": two }));
    assert_eq!(drawn["shown"]["head"]["links"]["n"], 5);
    let mut stand = look("timber.stand");
    stand["against"] = json!({ "runs": [1] });
    assert!(refused(&bench, json!({ "ask": "scene", "look": stand })).contains("0 other runs"));
}

#[test]
fn slow_answers_have_a_lane_progress_drafts_and_an_end() {
    let (_dir, bench) = bench(&[3]);
    let mut slow = look("timber.growth");
    slow["options"] = json!({ "years": "6" });
    let (lane, answers, _) = ask_all(&bench, json!({ "ask": "scene", "look": slow }));
    assert_eq!(lane, Lane::Slow);
    let shares: Vec<f64> = answers.iter().filter_map(|answer| answer["progress"]["share"].as_f64()).collect();
    assert!(shares.len() == 7 && answers.last().unwrap()["progress"].is_null(), "{shares:?}");
    assert_eq!(
        answers.iter().filter(|a| !a["progress"].is_null() && !a["ok"].is_null()).count(),
        1,
        "a draft"
    );

    // Given up from elsewhere, it ends at once.
    slow["options"] = json!({ "years": "1000000" });
    let question = json!({ "id": 5, "ask": "scene", "look": slow }).to_string();
    let asked = bench.read(&question).unwrap();
    let (client, sink) = (Client::default(), Kept::default());
    std::thread::scope(|scope| {
        scope.spawn(|| bench.answer(&asked, &client, &sink));
        while sink.0.lock().unwrap().is_empty() {
            std::thread::yield_now();
        }
        let cancel = bench.read(&json!({ "id": 6, "ask": "cancel", "question": 5 }).to_string()).unwrap();
        bench.answer(&cancel, &client, &Kept::default());
    });
    let last = sink.0.lock().unwrap().last().map(|message| json_of(message)).unwrap();
    assert_eq!(last["error"], "cancelled");
}

#[test]
fn what_waits_for_findings_shows_a_draft_and_leaves_the_quick_lane() {
    let (_dir, bench) = bench(&[4]);
    let asked = bench.read(&json!({ "id": 7, "ask": "overview", "run": 0 }).to_string()).unwrap();
    let (client, sink) = (Client::default(), Kept::default());
    assert_eq!(asked.lane, Lane::Quick);
    assert!(!bench.answer_quickly(&asked, &client, &sink), "nobody has looked for what costs time");
    let drafts: Vec<Value> = sink.0.lock().unwrap().drain(..).map(|message| json_of(&message)).collect();
    assert!(drafts.iter().all(|draft| !draft["progress"].is_null()), "{drafts:?}");
    assert_eq!(drafts.iter().filter(|draft| !draft["ok"].is_null()).count(), 1, "{drafts:?}");
    bench.answer(&asked, &client, &sink);
    let last = sink.0.lock().unwrap().last().map(|message| json_of(message)).unwrap();
    assert!(last["progress"].is_null() && !last["ok"].is_null(), "{last}");
    // Now it is known.
    let again =
        bench.read(&json!({ "id": 8, "ask": "scene", "look": look("overview") }).to_string()).unwrap();
    assert!(bench.answer_quickly(&again, &client, &sink));
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let (_dir, bench) = bench(&[4]);
    let question = json!({ "ask": "scene", "look": look("timber.rings") });
    let first = ask_all(&bench, question.clone());
    let again = ask_all(&bench, question);
    assert_eq!(first.2, again.2);
    assert_eq!(first.1[0]["ok"]["shown"], again.1[0]["ok"]["shown"]);
}
