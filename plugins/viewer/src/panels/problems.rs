//! Findings of loading and running.

use bevy_egui::egui::{RichText, Ui};
use bunraku_document::Severity;

use crate::view::Shown;

/// Shows a row for each finding, errors first.
pub fn show(ui: &mut Ui, shown: &Shown) {
    if shown.problems.is_empty() {
        ui.weak("No problems were found.");
        return;
    }
    let mut problems: Vec<_> = shown.problems.iter().collect();
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    for problem in problems {
        let color = match problem.severity {
            Severity::Error => ui.visuals().error_fg_color,
            Severity::Warning => ui.visuals().warn_fg_color,
            Severity::Note => ui.visuals().weak_text_color(),
        };
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(problem.severity.as_str()).color(color));
            ui.monospace(&problem.place);
            ui.label(format!("{} [{}]", problem.message, problem.code));
            if let Some(help) = &problem.help {
                ui.weak(help);
            }
        });
        ui.separator();
    }
}
