//! Layout of the panels.

use bevy_egui::egui::{self, Frame, Margin, ScrollArea, Ui, WidgetText};
use egui_tiles::{Behavior, SimplificationOptions, TileId, Tiles, UiResponse};

use super::desk::{Desk, Panel};
use super::surroundings::Surroundings;
use super::{inspector, joints, key_frames, performance, plots, problems, sensors, task, toggles, tree, view};
use crate::view::{Request, Shown};

/// Shows each panel at its location.
pub struct Dock<'a, 'b> {
    pub shown: &'a Shown,
    pub desk: &'a mut Desk,
    pub around: &'a mut Surroundings<'b>,
    pub requests: &'a mut Vec<Request>,
}

impl Behavior<Panel> for Dock<'_, '_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, panel: &mut Panel) -> UiResponse {
        if *panel == Panel::View {
            view::show(ui, self.shown, self.around, self.requests);
            return UiResponse::None;
        }
        let frame = Frame::new().fill(ui.visuals().panel_fill).inner_margin(Margin::same(6));
        frame.show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            let Self { shown, desk, around, requests } = self;
            match panel {
                Panel::Plots => plots::show(ui, shown, desk.kept.angles, &mut desk.plots, around.curves, requests),
                _ => {
                    // Text that may be wrapped is no wider than the panel.
                    let wide = matches!(panel, Panel::Tree | Panel::Inspector | Panel::Joints);
                    ScrollArea::new([wide, true]).auto_shrink(false).id_salt(panel.title()).show(
                        ui,
                        |ui| match panel {
                            Panel::Tree => tree::show(ui, shown, desk, requests),
                            Panel::Inspector => inspector::show(ui, shown, desk.kept.angles, requests),
                            Panel::Joints => joints::show(ui, shown, desk.kept.angles, requests),
                            Panel::Sensors => sensors::show(ui, shown, desk.kept.angles, around.pictures),
                            Panel::Problems => problems::show(ui, shown),
                            Panel::Performance => performance::show(ui, shown),
                            Panel::Show => toggles::show(ui, &mut desk.kept.marks),
                            Panel::KeyFrames => key_frames::show(ui, shown, &mut desk.keys, requests),
                            Panel::Task => task::show(ui, shown, requests),
                            Panel::View | Panel::Plots => {}
                        },
                    );
                }
            }
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, panel: &Panel) -> WidgetText {
        panel.title().into()
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
    }

    fn is_tab_closable(&self, tiles: &Tiles<Panel>, tile: TileId) -> bool {
        !matches!(tiles.get_pane(&tile), None | Some(Panel::View))
    }

    fn on_tab_close(&mut self, tiles: &mut Tiles<Panel>, tile: TileId) -> bool {
        // It is hidden, so that it can be restored at its location.
        tiles.set_visible(tile, false);
        false
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        3.0
    }
}
