//! Style of the panels.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy_egui::egui::{Color32, Context, FontData, FontDefinitions, FontFamily, Theme, Visuals};

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

/// Sets the fonts and the colours of both themes; once, before the first text.
pub fn prepare(context: &Context) {
    context.set_fonts(fonts());
    for theme in [Theme::Light, Theme::Dark] {
        context.style_mut_of(theme, |style| set_colors(&mut style.visuals));
    }
}

/// egui's fonts, and one for Japanese names if the system has one.
fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    // The monospaced font has the arrows of the list of keys, which the proportional one lacks.
    fonts.families.entry(FontFamily::Proportional).or_default().push("Hack".to_owned());
    let japanese = FONT_FOLDERS.iter().find_map(|folder| find(Path::new(folder), DEPTH)).and_then(read);
    if let Some(bytes) = japanese {
        fonts.font_data.insert("japanese".to_owned(), Arc::new(FontData::from_owned(bytes)));
        for family in [FontFamily::Proportional, FontFamily::Monospace] {
            fonts.families.entry(family).or_default().push("japanese".to_owned());
        }
    }
    fonts
}

/// Sets the colours of secondary texts and of findings, which are too pale in egui's themes: their contrast is at least
/// 4.5 : 1, the minimum of WCAG 2.
fn set_colors(visuals: &mut Visuals) {
    let dark = visuals.dark_mode;
    let choose = |light: [u8; 3], for_dark: [u8; 3]| {
        let [red, green, blue] = if dark { for_dark } else { light };
        Color32::from_rgb(red, green, blue)
    };
    visuals.weak_text_color = Some(choose([90, 90, 90], [165, 165, 165]));
    visuals.warn_fg_color = choose([150, 80, 0], [255, 160, 0]);
    visuals.error_fg_color = choose([185, 0, 0], [255, 120, 120]);
    visuals.hyperlink_color = choose([0, 95, 175], [90, 170, 255]);
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

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{FontId, RawInput, Rgba};

    use super::*;
    use crate::panels::KEYS;

    /// Contrast of two colours after WCAG 2, from 1 to 21.
    fn contrast(one: Color32, other: Color32) -> f32 {
        let luminance = |color: Color32| {
            let color = Rgba::from(color);
            0.2126 * color.r() + 0.7152 * color.g() + 0.0722 * color.b() + 0.05
        };
        let (one, other) = (luminance(one), luminance(other));
        one.max(other) / one.min(other)
    }

    #[test]
    fn texts_have_enough_contrast_in_both_themes() {
        let context = Context::default();
        prepare(&context);
        for theme in [Theme::Light, Theme::Dark] {
            let visuals = &context.style_of(theme).visuals;
            let texts = [
                ("text", visuals.text_color()),
                ("weak", visuals.weak_text_color()),
                ("warning", visuals.warn_fg_color),
                ("error", visuals.error_fg_color),
                ("link", visuals.hyperlink_color),
            ];
            for (name, color) in texts {
                for ground in [visuals.panel_fill, visuals.window_fill, visuals.extreme_bg_color] {
                    let contrast = contrast(color, ground);
                    assert!(contrast >= 4.5, "{theme:?} {name}: {contrast:.1} : 1 on {ground:?}");
                }
            }
        }
    }

    #[test]
    fn the_fonts_have_the_letters_of_the_list_of_keys() {
        let context = Context::default();
        prepare(&context);
        // Fonts are set at the beginning of the next pass.
        for _ in 0..2 {
            let _ = context.run_ui(RawInput::default(), |_| {});
        }
        for (key, what) in KEYS {
            for letter in key.chars().chain(what.chars()).filter(|letter| !letter.is_whitespace()) {
                let has = context.fonts_mut(|fonts| fonts.has_glyph(&FontId::proportional(13.0), letter));
                assert!(has, "`{letter}` in {key}: {what}");
            }
        }
    }
}
