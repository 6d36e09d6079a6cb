//! Checks of the files that a task refers to.

use std::path::Path;

use bunraku_document::Reporter;

use crate::model::Task;

/// Warns of missing files: model files (which are replaced by a frame), images and files for users. `directory` is that
/// of the task file.
pub fn check_files(task: &Task, directory: &Path, reporter: &Reporter) {
    let masters = task.masters.iter().filter(|master| !master.file.is_empty());
    let masters = masters.map(|master| (&master.file, "model file", &master.origin));
    let files = task.files.iter().map(|file| (&file.path, "file", &file.origin));
    let pictures = task.masters.iter().filter_map(|master| Some((master.image.as_ref()?, "picture", &master.origin)));
    let pictures = pictures.chain(task.images.iter().map(|image| (&image.path, "picture", &image.origin)));
    for (path, what, origin) in masters.chain(files).chain(pictures) {
        if !directory.join(path).is_file() {
            let diagnostic = origin.warning("missing-file", format!("the {what} `{path}` is not beside the task"));
            reporter.report(diagnostic.help(match what {
                "model file" => "its models are frames without a shape",
                _ => "it is for people: the task runs without it",
            }));
        }
    }
    for master in task.masters.iter().filter(|master| master.file.is_empty()) {
        let message = format!("the model master `{}` has no model file", master.name);
        reporter.report(master.origin.warning("missing-file", message).help("its models are frames without a shape"));
    }
}
