//! Places and sites: from the numbers that each piece of the table gave them to those of the run, in the order in which
//! they first stand in the file.

use crosscut_run::{NO_SITE, Places, SEVERAL, Source, Sources, SourcesBuilder};
use foldhash::{HashMap, HashMapExt};

use crate::error::ImportError;
use crate::input::Input;

use super::decode::{PIECE, SiteKey, Table};
use super::format::{Fault, Header, field};
use super::strings::Strings;

/// For each piece, the run's number by the piece's number.
pub struct Names {
    pieces: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Names {
    /// The run's number of a site of a node.
    #[inline]
    pub fn site(&self, node: usize, local: u32) -> u32 {
        let site = self.pieces.get(node / PIECE).and_then(|(sites, _)| sites.get(local as usize));
        site.copied().unwrap_or(NO_SITE)
    }

    /// The run's number of a place of a node.
    #[inline]
    pub fn place(&self, node: usize, local: u32) -> u32 {
        let place = self.pieces.get(node / PIECE).and_then(|(_, places)| places.get(local as usize));
        place.copied().unwrap_or(SEVERAL)
    }
}

/// Makes the pieces agree; takes their lists of places and sites.
pub fn agree(
    input: &Input<'_>,
    header: &Header,
    table: &mut Table,
    strings: &Strings,
) -> Result<(Names, Places, Sources), ImportError> {
    // Workers may carry numbers from the recorder's number of workers on: it counts the threads that it has seen.
    let max_worker = table.pieces.iter().map(|piece| i64::from(piece.max_worker)).max().unwrap_or(-1);
    let mut places = Places::workers(header.workers.max(max_worker + 1) as usize)?;
    let mut sources = SourcesBuilder::new();
    let mut site_ids: HashMap<SiteKey, u32> = HashMap::new();
    let mut pieces = Vec::with_capacity(table.pieces.len());
    for piece in &mut table.pieces {
        let sites = std::mem::take(&mut piece.sites);
        let sites = sites.iter().map(|&(key, _)| {
            *site_ids.entry(key).or_insert_with(|| {
                let [from_file, from_line, to_file, to_line] = key;
                let mut source = |file: i64, line| {
                    let file = strings.get(file as usize);
                    sources.source(Source { file, line, function: String::new() })
                };
                let (from, to) = (source(from_file, from_line), source(to_file, to_line));
                sources.site(from, to)
            })
        });
        let sites: Vec<u32> = sites.collect();
        let mut local_places = Vec::with_capacity(piece.places.len());
        for ([worker, core], node) in std::mem::take(&mut piece.places) {
            let place = places
                .intern(worker as usize, i64::from(core))
                .map_err(|error| Fault::new(node as usize, field::WORKER, error.to_string()).at(input))?;
            local_places.push(place);
        }
        pieces.push((sites, local_places));
    }
    Ok((Names { pieces }, places, sources.finish()))
}
