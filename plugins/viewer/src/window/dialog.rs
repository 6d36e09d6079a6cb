//! File dialog.

use bevy_egui::egui::{Context, Vec2};
use egui_file_dialog::FileDialog;

use crate::view::{FileUse, Request};

/// A dialog, and the use of the chosen file.
#[derive(Default)]
pub struct Choice {
    dialog: Option<(FileDialog, FileUse)>,
}

impl Choice {
    /// Opens the dialog.
    pub fn begin(&mut self, what: FileUse) {
        let (title, name) = match what {
            FileUse::Open => ("Open", "Scenes, models and motions"),
            FileUse::Bring => ("Add a body", "Models"),
            FileUse::LayOver => ("Lay over the curves", "Motions"),
            FileUse::LayOverRun => ("Lay over the curves: a directory of results", "All"),
        };
        let extensions = match what {
            FileUse::Open => vec!["yaml", "yml", "cnoid", "body", "wrl", "urdf", "xml", "seq"],
            FileUse::Bring => vec!["body", "wrl", "urdf", "xml"],
            FileUse::LayOver => vec!["seq"],
            FileUse::LayOverRun => vec![],
        };
        let dialog = FileDialog::new()
            .title(title)
            .default_size(Vec2::new(640.0, 420.0))
            .add_file_filter_extensions(name, extensions)
            .default_file_filter(name);
        let (mut dialog, what) = (dialog, what);
        match what {
            FileUse::Open => dialog.pick_multiple(),
            FileUse::Bring | FileUse::LayOver => dialog.pick_file(),
            FileUse::LayOverRun => dialog.pick_directory(),
        }
        self.dialog = Some((dialog, what));
    }

    /// Shows the dialog if it is open; returns a request once a file is chosen.
    pub fn show(&mut self, context: &Context) -> Option<Request> {
        let (dialog, what) = self.dialog.as_mut()?;
        dialog.update(context);
        match what {
            FileUse::Open => dialog.take_picked_multiple().map(Request::Open),
            FileUse::Bring => dialog.take_picked().map(Request::Bring),
            FileUse::LayOver | FileUse::LayOverRun => dialog.take_picked().map(Request::LayOver),
        }
    }
}
