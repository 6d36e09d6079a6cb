//! Style of the panels.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_egui::egui::{Context, FontData, FontDefinitions, FontFamily, Theme};

use super::desk::Kept;

/// Sets the theme and the scale of text.
pub fn set_style(context: &Context, kept: &Kept) {
    let theme = if kept.dark { Theme::Dark } else { Theme::Light };
    if context.theme() != theme {
        context.set_theme(theme);
    }
    let scale = if kept.text_scale.is_finite() { kept.text_scale.clamp(0.6, 2.5) } else { 1.0 };
    if (context.zoom_factor() - scale).abs() > 1e-3 {
        context.set_zoom_factor(scale);
    }
}

/// Font folders of common systems.
const FONT_FOLDERS: [&str; 4] = ["/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "C:\\Windows\\Fonts"];
/// Parts of names of font files with Japanese characters.
const JAPANESE: [&str; 8] =
    ["notosanscjk", "notosansjp", "ipag", "takao", "vl-gothic", "droidsansfallback", "yugoth", "msgothic"];
/// Maximum depth of the search in folders.
const DEPTH: usize = 4;

/// Loads a font for Japanese names, if the system has one.
pub fn japanese_font(context: &Context) {
    let Some(bytes) = FONT_FOLDERS.iter().find_map(|folder| find(Path::new(folder), DEPTH)).and_then(read) else {
        return;
    };
    let mut fonts = FontDefinitions::default();
    fonts.font_data.insert("japanese".to_owned(), Arc::new(FontData::from_owned(bytes)));
    for family in [FontFamily::Proportional, FontFamily::Monospace] {
        fonts.families.entry(family).or_default().push("japanese".to_owned());
    }
    context.set_fonts(fonts);
}

fn read(path: PathBuf) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}

fn find(folder: &Path, depth: usize) -> Option<PathBuf> {
    let mut entries: Vec<_> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let is_font = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let is_file = [".ttf", ".otf", ".ttc"].iter().any(|ending| name.ends_with(ending));
        is_file && JAPANESE.iter().any(|part| name.contains(part))
    };
    if let Some(font) = entries.iter().find(|path| is_font(path)) {
        return Some(font.clone());
    }
    if depth == 0 {
        return None;
    }
    entries.iter().filter(|path| path.is_dir()).find_map(|folder| find(folder, depth - 1))
}
