// The program under test: makes runs with `crosscut`, and starts `crosscut view` on a free port.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CROSSCUT = process.env.CROSSCUT ?? "crosscut";
const FIXTURES = fileURLToPath(new URL("../../fixtures/dag/", import.meta.url));

const TRACES = fileURLToPath(new URL("../../fixtures/messages/dumpi/", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "crosscut-e2e-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs `crosscut` to its end and returns what it printed. */
export function crosscut(...args) {
  return execFileSync(CROSSCUT, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** A run imported from a recorded fixture; the path of the run. */
export function imported(name) {
  const run = join(folder, `${name}.crosscut`);
  crosscut("import", join(FIXTURES, `${name}.dag`), "-o", run);
  return run;
}

/** A run imported from the recorded trace of an MPI program; the path of the run. */
export function traced(name) {
  const [files, run] = [join(folder, name), join(folder, `${name}.crosscut`)];
  mkdirSync(files);
  execFileSync("tar", ["xzf", join(TRACES, `${name}.tar.gz`), "-C", files]);
  crosscut("import", files, "-o", run);
  return run;
}

/** Call paths of a made profile: functions from the outermost to the innermost. */
const PATHS = [
  ["app::main"],
  ["app::main", "app::step"],
  ["app::main", "app::step", "physics::advance"],
  ["app::main", "app::step", "physics::advance", "eos::evaluate"],
  ["app::main", "app::step", "physics::advance", "eos::evaluate", "math::pow"],
  ["app::main", "app::step", "comm::exchange", "mpi::wait"],
  ["app::main", "io::dump", "mpi::wait"],
  ["app::main", "io::dump", "mpi::wait", "math::pow"],
];
const COSTS = [0.2, 0.1, 0.5, 1, 0.2, 2, 0.3, 0.1];

/** A run imported from a made profile of 16 ranks: `eos` takes thrice as long on 4 to 6, the others wait. In another one it may take
 *  another time, and have another name. */
export function profiled(name, { eos = 1, module = "eos" } = {}) {
  const [nodes, data, numbers] = [[], [], new Map()];
  const numberOf = (path) => {
    const key = path.join("/");
    if (!numbers.has(key)) {
      const parent = path.length > 1 ? { parent: numberOf(path.slice(0, -1)) } : {};
      numbers.set(
        key,
        nodes.push({ label: path.at(-1).replace("eos", module), column: "path", ...parent }) - 1,
      );
    }
    return numbers.get(key);
  };
  for (let rank = 0; rank < 16; rank++) {
    const late = rank >= 4 && rank <= 6;
    PATHS.forEach((path, i) => {
      const factor = i === 3 ? eos * (late ? 3 : 1) : i === 5 ? (late ? 0.1 : 1) : 1 + rank / 500;
      data.push([rank, COSTS[i] * factor, numberOf(path)]);
    });
  }
  const file = join(folder, `${name}.json`);
  const columns = ["mpi.rank", "time", "path"];
  const metadata = [
    { is_value: true },
    { is_value: true, "attribute.alias": "time", "attribute.unit": "sec" },
    { is_value: false },
  ];
  writeFileSync(file, JSON.stringify({ data, columns, column_metadata: metadata, nodes }));
  const run = join(folder, `${name}.crosscut`);
  crosscut("import", file, "-o", run);
  return run;
}

/** A synthetic run; the path of the run. */
export function synthetic(kind, size, workers = 4) {
  const run = join(folder, `${kind}-${size}.crosscut`);
  crosscut("synth", kind, "--size", String(size), "--workers", String(workers), "-o", run);
  return run;
}

/** What `crosscut info --json` says about a run. */
export function info(run) {
  return JSON.parse(crosscut("info", run, "--json"));
}

/**
 * Starts `crosscut view` on the runs.
 * Returns the launch link, the server's origin, and a function that stops it.
 */
export async function serve(...runs) {
  const args = ["view", ...runs, "--port", "0", "--no-open"];
  return started(spawn(CROSSCUT, args, { stdio: ["ignore", "pipe", "inherit"] }));
}

/** Starts the server of a domain that only a test knows (`crates/server/examples/timber.rs`). */
export async function serveTimber() {
  const timber = process.env.TIMBER ?? "timber";
  return started(spawn(timber, [], { stdio: ["ignore", "pipe", "inherit"] }));
}

async function started(child) {
  const stop = () => {
    child.kill();
    process.off("exit", stop);
  };
  process.on("exit", stop);
  const link = await launchLink(child);
  return { link, origin: new URL(link).origin, stop };
}

function launchLink(child) {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      const link = line.match(/http:\/\/\S+/);
      if (link) resolve(link[0]);
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      reject(new Error(`crosscut view ended with ${code} before it printed a link`)),
    );
  });
}
