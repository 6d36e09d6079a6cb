//! The scenes that an empty window offers.

use std::path::Path;

use bevy_egui::egui::{
    Button, Color32, ColorImage, Context, Frame, Id, Image, Margin, RichText, ScrollArea, TextureHandle,
    TextureOptions, Ui, UiBuilder, Vec2,
};

use crate::view::{GalleryScene, Request, Shown};

/// Size of a picture, points.
const PICTURE: Vec2 = Vec2::new(200.0, 125.0);
/// Size of an entry, points.
const ENTRY: Vec2 = Vec2::new(212.0, 210.0);

/// Shows the scenes over the view. A click opens one.
pub fn show(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    let area = ui.max_rect();
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| {
        let frame = Frame::new().fill(ui.visuals().panel_fill).inner_margin(Margin::same(12));
        frame.show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            ui.heading("Scenes to begin with");
            ui.label("Click on one, open a file (Ctrl+O), or drop one into the window: a scene, a model, a project.");
            ui.add_space(8.0);
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                ui.horizontal_wrapped(|ui| {
                    for scene in shown.gallery.iter() {
                        entry(ui, scene, requests);
                    }
                });
                recent(ui, shown, requests);
            });
        });
    });
}

/// Lists what was opened before.
fn recent(ui: &mut Ui, shown: &Shown, requests: &mut Vec<Request>) {
    if shown.recent.is_empty() {
        return;
    }
    ui.heading("Opened before");
    for paths in &shown.recent {
        let names: Vec<_> =
            paths.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy()).collect();
        let place = paths.first().and_then(|path| path.parent()).map(|place| place.display().to_string());
        ui.horizontal(|ui| {
            if ui.link(names.join(", ")).clicked() {
                requests.push(Request::Open(paths.clone()));
            }
            ui.weak(place.unwrap_or_default());
        });
    }
}

fn entry(ui: &mut Ui, scene: &GalleryScene, requests: &mut Vec<Request>) {
    ui.allocate_ui(ENTRY, |ui| {
        ui.set_min_size(ENTRY);
        ui.vertical(|ui| {
            let picture = texture(ui.ctx(), &scene.picture);
            let button = match &picture {
                Some(picture) => Button::image_and_text(
                    Image::new((picture.id(), PICTURE)).fit_to_exact_size(PICTURE),
                    RichText::new(""),
                ),
                None => Button::new("").min_size(PICTURE),
            };
            let picture = ui.add(button.frame(false)).on_hover_text(scene.file.display().to_string());
            let title = ui.link(RichText::new(&scene.title).strong());
            ui.weak(&scene.about);
            if picture.clicked() || title.clicked() {
                requests.push(Request::Open(vec![scene.file.clone()]));
            }
        });
    });
}

/// The picture as a texture, read once; `None` if it cannot be read.
fn texture(context: &Context, file: &Path) -> Option<TextureHandle> {
    let id = Id::new(("gallery", file));
    if let Some(known) = context.data(|data| data.get_temp::<Option<TextureHandle>>(id)) {
        return known;
    }
    let texture = image::open(file).ok().map(|picture| load(context, file, &picture.to_rgba8()));
    context.data_mut(|data| data.insert_temp(id, texture.clone()));
    texture
}

fn load(context: &Context, file: &Path, picture: &image::RgbaImage) -> TextureHandle {
    let pixels = picture.pixels().map(|pixel| {
        let [red, green, blue, _] = pixel.0;
        Color32::from_rgb(red, green, blue)
    });
    let size = [picture.width() as usize, picture.height() as usize];
    let image = ColorImage::new(size, pixels.collect());
    context.load_texture(file.display().to_string(), image, TextureOptions::LINEAR)
}
