//! Settings kept between starts.

use std::io::Write;
use std::path::{Path, PathBuf};

use bevy::app::AppExit;
use bevy::prelude::*;
use bunraku_document::write_atomically;

use super::state::Panels;
use crate::panels::Kept;

/// Path of the stored layout.
#[derive(Resource, Clone, Debug, Default)]
pub struct LayoutFile(pub Option<PathBuf>);

/// Default path in the user's configuration directory.
pub fn usual_file() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("XDG_CONFIG_HOME")
        .or_else(|| variable("APPDATA"))
        .or_else(|| variable("HOME").map(|home| home.join(".config")))?;
    Some(folder.join("bunraku/window.json"))
}

/// Reads the stored layout, if it exists and is valid.
pub fn read(path: &Path) -> Option<Kept> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Stores the layout when the window closes. If that fails, the next start uses the default.
pub fn write_on_exit(mut exits: MessageReader<AppExit>, file: Res<LayoutFile>, panels: Option<Res<Panels>>) {
    if exits.read().next().is_none() {
        return;
    }
    let (Some(path), Some(panels)) = (&file.0, panels) else { return };
    let Ok(text) = serde_json::to_string(&panels.desk.kept) else { return };
    if let Some(folder) = path.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = write_atomically(path, |file| file.write_all(text.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::AngleUnit;

    #[test]
    fn a_layout_is_restored_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("window.json");
        assert!(read(&path).is_none());
        let mut kept = Kept { dark: true, angles: AngleUnit::Degrees, text_scale: 1.5, ..Kept::default() };
        for name in ["/a.body", "/b.body", "/a.body"] {
            kept.remember(&[PathBuf::from(name)]);
        }
        std::fs::write(&path, serde_json::to_string(&kept).expect("text")).expect("written");
        let again = read(&path).expect("it is sound");
        assert!(again.dark && again.angles == AngleUnit::Degrees && (again.text_scale - 1.5).abs() < 1e-6);
        assert_eq!(again.layout, kept.layout);
        assert_eq!(again.recent, [[PathBuf::from("/a.body")], [PathBuf::from("/b.body")]]);
        std::fs::write(&path, "{ \"layout\": 3 }").expect("written");
        assert!(read(&path).is_none());
    }
}
