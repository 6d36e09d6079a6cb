//! File dialog.

use std::path::Path;

use bevy_egui::egui::{Context, Vec2};
use egui_file_dialog::FileDialog;

use crate::view::{FileUse, Request};

/// A dialog, and the use of the chosen file.
#[derive(Default)]
pub struct Choice {
    dialog: Option<(FileDialog, FileUse)>,
}

impl Choice {
    /// Opens the dialog; a scene is saved beside the displayed file.
    pub fn begin(&mut self, what: FileUse, shown: Option<&Path>) {
        let (title, name) = match what {
            FileUse::Open => ("Open", "Scenes, models and motions"),
            FileUse::Bring => ("Add a body", "Models"),
            FileUse::SaveScene => ("Save the scene as, beside its file", "Scenes"),
            FileUse::LayOver => ("Lay over the curves", "Motions"),
            FileUse::LayOverRun => ("Lay over the curves: a directory of results", "All"),
        };
        let extensions = match what {
            FileUse::Open => vec!["yaml", "yml", "cnoid", "body", "wrl", "urdf", "xml", "seq"],
            FileUse::Bring => vec!["body", "wrl", "urdf", "xml"],
            FileUse::LayOver => vec!["seq"],
            FileUse::SaveScene => vec!["yaml"],
            FileUse::LayOverRun => vec![],
        };
        let dialog = FileDialog::new()
            .title(title)
            .default_size(Vec2::new(640.0, 420.0))
            .add_file_filter_extensions(name, extensions)
            .default_file_filter(name);
        let mut dialog =
            match shown.and_then(|shown| std::path::absolute(shown).ok()).filter(|_| what == FileUse::SaveScene) {
                Some(shown) => dialog
                    .initial_directory(shown.parent().unwrap_or(&shown).to_owned())
                    .default_file_name(&new_name(&shown)),
                None => dialog,
            };
        match what {
            FileUse::Open => dialog.pick_multiple(),
            FileUse::Bring | FileUse::LayOver => dialog.pick_file(),
            FileUse::LayOverRun => dialog.pick_directory(),
            FileUse::SaveScene => dialog.save_file(),
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
            FileUse::SaveScene => dialog.take_picked().map(Request::SaveScene),
        }
    }
}

/// `NAME-2.scene.yaml` for `NAME.scene.yaml`.
fn new_name(scene: &Path) -> String {
    let name = scene.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or("scene");
    format!("{stem}-2.scene.yaml")
}
