//! Reports of data that URDF and MJCF cannot express.

use bunraku_document::{Diagnostic, Reporter};

use crate::Body;

/// Reports `count` things, if there are any, as lost; `what` begins with their plural.
pub(super) fn lost(reporter: &Reporter, code: &'static str, count: usize, what: &str, help: &str) {
    if count > 0 {
        reporter.report(Diagnostic::warning(code, format!("{count} {what}")).help(help));
    }
}

/// Reports what neither URDF nor MJCF can hold.
pub(super) fn report_common(body: &Body, reporter: &Reporter) {
    let links = || body.links().iter();
    let materials = links().filter(|link| link.material.is_some()).count();
    lost(
        reporter,
        "export-materials",
        materials,
        "links lose their contact materials",
        "give friction and restitution to the program that reads the file",
    );
    let poses = usize::from(body.standard_pose.is_some());
    let keys = body.info.len() + links().map(|link| link.info.len() + link.scenery.len()).sum::<usize>();
    for (code, count, what) in [
        ("export-pose", poses, "standard poses are left out"),
        ("export-keys", keys, "keys and nodes for other programs are left out"),
    ] {
        if count > 0 {
            reporter.report(Diagnostic::note(code, format!("{count} {what}")));
        }
    }
}
