use bunraku_document::Diagnostic;
use nalgebra::{Vector2, Vector3};

use super::words::{next_word, shortened};
use crate::mesh_file::{MeshFile, Tally};
use crate::{Appearance, Texture, TextureTransform};

/// Reads the materials of a library (MTL). Errors are only warnings, because the shapes are still usable.
///
/// The ambient colour is ignored: most programs copy the diffuse colour or write arbitrary values.
pub(super) fn read_materials(file: &MeshFile<'_>) -> Vec<(String, Appearance)> {
    let source = file.source_text();
    let mut materials: Vec<(String, Appearance)> = Vec::new();
    let mut flat = Vec::new();
    let mut malformed = Tally::default();
    let mut maps = Tally::default();
    for (line, statement) in (1..).zip(source.text().lines()) {
        let statement = statement.split('#').next().unwrap_or_default().trim();
        let (keyword, rest) = next_word(statement);
        let rest = rest.trim();
        if keyword == "newmtl" {
            materials.push((rest.to_owned(), Appearance::default()));
            continue;
        }
        let count = materials.len();
        let Some((_, material)) = materials.last_mut() else {
            if !keyword.is_empty() {
                malformed.add(line);
            }
            continue;
        };
        let understood = match keyword {
            "Kd" => color(rest).map(|color| material.diffuse = color),
            "Ks" => color(rest).map(|color| material.specular = color),
            "Ke" => color(rest).map(|color| material.emissive = color),
            "Ns" => number(rest).map(|exponent| material.specular_exponent = exponent.max(0.0)),
            "d" => {
                let rest = rest.strip_prefix("-halo").unwrap_or(rest);
                number(rest).map(|opacity| material.transparency = 1.0 - opacity.clamp(0.0, 1.0))
            }
            "Tr" => number(rest).map(|transparency| material.transparency = transparency.clamp(0.0, 1.0)),
            // Illumination models 0 and 1 have no highlight.
            "illum" => number(rest).map(|model| {
                if model < 2.0 {
                    flat.push(count - 1);
                }
            }),
            "map_Kd" => {
                material.texture = picture(rest, line, file);
                Some(())
            }
            map if map.starts_with("map_") || ["bump", "disp", "decal", "refl", "norm"].contains(&map) => {
                maps.add(line);
                Some(())
            }
            _ => Some(()),
        };
        if understood.is_none() {
            malformed.add(line);
        }
    }
    for material in flat {
        if let Some((_, appearance)) = materials.get_mut(material) {
            appearance.specular = Vector3::zeros();
        }
    }
    malformed.warn(file, "mtl-malformed", "statements are not understood and left out");
    if let Some((count, line)) = maps.found() {
        let message = format!("{count} pictures for other things than the diffuse colour are not shown");
        file.report(Diagnostic::note("mtl-maps", message), line);
    }
    materials
}

fn number(text: &str) -> Option<f64> {
    fast_float2::parse(next_word(text).0).ok().filter(|number: &f64| number.is_finite())
}

/// A colour: red, green and blue, or one number for all of them.
fn color(text: &str) -> Option<Vector3<f64>> {
    let numbers: Option<Vec<f64>> = text.split_ascii_whitespace().take(3).map(number).collect();
    match *numbers?.as_slice() {
        [grey] => Some(Vector3::repeat(grey)),
        [red, green, blue] => Some(Vector3::new(red, green, blue)),
        _ => None,
    }
    .map(|color| color.map(|value| value.clamp(0.0, 1.0)))
}

/// An image: options and a file name, which may contain spaces.
fn picture(text: &str, line: u32, file: &MeshFile<'_>) -> Option<Texture> {
    let mut rest = text.trim_start();
    let mut transform = TextureTransform::default();
    let mut repeat = true;
    while rest.starts_with('-') {
        let (option, mut after) = next_word(rest);
        match option {
            // These options have up to three numbers.
            "-o" | "-s" | "-t" => {
                let mut values = Vec::new();
                while values.len() < 3 {
                    let (word, behind) = next_word(after);
                    let Some(value) = number(word) else { break };
                    values.push(value);
                    after = behind;
                }
                let or = |position: usize, fallback: f64| values.get(position).copied().unwrap_or(fallback);
                match option {
                    "-o" => transform.translation = Vector2::new(or(0, 0.0), or(1, 0.0)),
                    "-s" => transform.scale = Vector2::new(or(0, 1.0), or(1, 1.0)),
                    _ => {}
                }
            }
            "-clamp" => {
                let (word, behind) = next_word(after);
                repeat = word != "on";
                after = behind;
            }
            "-mm" => after = next_word(next_word(after).1).1,
            "-blendu" | "-blendv" | "-cc" | "-boost" | "-bm" | "-texres" | "-imfchan" | "-type" => {
                after = next_word(after).1;
            }
            _ => {
                let message = format!("the option `{}` of a picture is unknown", shortened(option));
                file.warn("mtl-malformed", message, line);
            }
        }
        rest = after.trim_start();
    }
    Some(Texture { image: file.texture(rest.trim(), line)?, repeat: [repeat; 2], transform })
}
