use crosscut_tasks::Tasks;
use crosscut_tasks::grain::Grains;
use crosscut_tree::Cut;
pub struct Look<'a> {
    pub tasks: &'a Tasks,
    pub grains: &'a Grains,
}
impl<'a> Look<'a> {
    pub fn plain(tasks: &'a Tasks, grains: &'a Grains) -> Self {
        Look { tasks, grains }
    }
}
pub fn fitting(look: &Look<'_>, limit: usize) -> Cut {
    Cut::fitting(look.grains.tree(), limit)
}
