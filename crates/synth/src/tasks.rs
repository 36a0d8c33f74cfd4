//! Puts a run of tasks together: structure and schedule fill the columns side by side, the `tasks` crate completes them.

use std::path::Path;

use crosscut_run::{Places, Run, RunWriter};
use crosscut_tasks::schema::TaskWriter;

use crate::error::SynthError;
use crate::options::Options;
use crate::schedule::{Schedule, Times};
use crate::shape::{self, Shape, Use};
use crate::structure::Structure;

/// Makes a run of tasks under this name. `progress` hears how many nodes of how many are done; when all are, their indexes
/// are still to be made. Fails when something has that name already, and leaves nothing behind when it fails.
pub fn tasks(target: &Path, options: &Options, progress: &dyn Fn(u64, u64)) -> Result<Run, SynthError> {
    options.check()?;
    shape::choose(options, Make { target, options, progress })
}

struct Make<'a> {
    target: &'a Path,
    options: &'a Options,
    progress: &'a dyn Fn(u64, u64),
}

impl Use for Make<'_> {
    type Output = Result<Run, SynthError>;

    fn with<S: Shape>(self, shape: S) -> Self::Output {
        let nodes = shape.size(shape.root());
        let mut places = Places::workers(self.options.workers)?;
        let on_core = (0..self.options.workers)
            .map(|worker| places.intern(worker, worker as i64))
            .collect::<Result<Vec<u32>, _>>()?;

        let mut run = RunWriter::create(self.target)?;
        let mut tasks = TaskWriter::new(&run, nodes as usize)?;
        let structure = Structure { len: &mut tasks.len, parent: &mut tasks.parent, site: &mut tasks.site };
        let times = Times {
            start: &mut tasks.start,
            end: &mut tasks.end,
            place: &mut tasks.place,
            mark: &mut tasks.mark,
        };
        let schedule = Schedule::new(&shape, self.options, &on_core, times);
        std::thread::scope(|scope| {
            scope.spawn(|| structure.write(&shape));
            schedule.run(&|done| (self.progress)(done, u64::from(nodes)));
        });

        run.put_sources(&shape::sources::<S>())?;
        crosscut_tasks::finish(&mut run, tasks, &places)?;
        Ok(run.finish()?)
    }
}
