use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::FoundFiles;
use crate::packages::{is_package_called, surroundings};
use crate::path_error::{LONGEST_PATH, PROGRAM_TOP, PROJECT_DIR, PathError, list};

/// Resolves paths in files (`${SHARE}`, packages) and restricts which files may be read.
///
/// A path in a file is relative to the file's own directory unless it is absolute, begins with a variable or has a
/// scheme:
///
/// - `${SHARE}` is the share directory of a Choreonoid installation or a copy of it: of several the first that has the
///   file; `${PROGRAM_TOP}` is the installation, `${PROJECT_DIR}` the directory of a project, `${HOME}` the user's home;
/// - `file://` takes an absolute path, `package://name/…` the ROS package `name`.
///
/// After [`SearchRoots::around`] has named the first file of a load, [`SearchRoots::find`] refuses files outside the
/// roots. The roots are the share directory, the package directories and the unit that contains the first file: its ROS
/// package, the share directory, its repository, or else its folder of models, which is the directory above its own. A
/// model from elsewhere therefore cannot include arbitrary files of the disk. The current directory has no influence.
#[derive(Clone, Debug, Default)]
pub struct SearchRoots {
    /// Directories of `${SHARE}`, in search order.
    shares: Vec<PathBuf>,
    /// Directories of `${PROGRAM_TOP}` and `${PROJECT_DIR}`.
    program_top: Option<PathBuf>,
    project: Option<PathBuf>,
    packages: Vec<PathBuf>,
    around: Vec<PathBuf>,
    outside_allowed: bool,
    found: Option<FoundFiles>,
}

impl SearchRoots {
    /// Roots with share directories, if given, in search order.
    pub fn new(shares: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { shares: shares.into_iter().collect(), ..Self::default() }
    }

    /// Sets the directories of `${PROGRAM_TOP}` (the Choreonoid installation) and `${PROJECT_DIR}` (the directory of
    /// its project), if given.
    #[must_use]
    pub fn with_variables(self, program_top: Option<PathBuf>, project: Option<PathBuf>) -> Self {
        Self { program_top, project, ..self }
    }

    /// Sets the directory of `${PROJECT_DIR}`, unless it is set already.
    #[must_use]
    pub fn with_default_project(self, project: &Path) -> Self {
        Self { project: self.project.or_else(|| Some(project.to_owned())), ..self }
    }

    /// Adds directories in which ROS packages are searched.
    #[must_use]
    pub fn with_packages(mut self, packages: impl IntoIterator<Item = PathBuf>) -> Self {
        self.packages.extend(packages);
        self
    }

    /// Adds the package directories of ROS's environment variables: the entries of `ROS_PACKAGE_PATH`, and `share` in
    /// each entry of `AMENT_PREFIX_PATH`.
    #[must_use]
    pub fn with_ros_environment(self) -> Self {
        let entries = |variable| {
            let value = std::env::var_os(variable).unwrap_or_default();
            std::env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect::<Vec<_>>()
        };
        let ament = entries("AMENT_PREFIX_PATH").into_iter().map(|prefix| prefix.join("share"));
        self.with_packages(entries("ROS_PACKAGE_PATH")).with_packages(ament)
    }

    /// Sets whether files outside all roots may be read, too.
    #[must_use]
    pub fn allow_outside(mut self, allow: bool) -> Self {
        self.outside_allowed = allow;
        self
    }

    /// Adds the files that [`SearchRoots::find`] finds to this list.
    #[must_use]
    pub fn noting(self, found: &FoundFiles) -> Self {
        Self { found: Some(found.clone()), ..self }
    }

    /// The same roots plus the unit that contains `file`, for files that it refers to. For a file named by the user.
    #[must_use]
    pub fn around(&self, file: &Path) -> Self {
        let file = canonical(file);
        self.around_directory(file.parent().unwrap_or(&file))
    }

    /// As [`SearchRoots::around`], for the files in a directory named by the user.
    #[must_use]
    pub fn around_directory(&self, directory: &Path) -> Self {
        let mut roots = self.clone();
        for root in surroundings(&canonical(directory)) {
            if !roots.around.contains(&root) {
                roots.around.push(root);
            }
        }
        roots
    }

    /// Whether a file lies inside the roots, so that its content may be quoted. Always true with
    /// [`SearchRoots::allow_outside`], and before [`SearchRoots::around`].
    pub(crate) fn shows(&self, file: &Path) -> bool {
        self.outside_allowed || self.around.is_empty() || self.holds(&canonical(file))
    }

    /// Names of the roots, for messages.
    pub(crate) fn names(&self) -> String {
        let mut roots = self.roots();
        roots.dedup();
        list(&roots)
    }

    /// The share directories, in search order.
    pub fn shares(&self) -> &[PathBuf] {
        &self.shares
    }

    /// Resolves `text`, written in a file in `directory`. Checks neither whether the path exists nor whether it may be
    /// read.
    ///
    /// # Errors
    /// If a variable is unknown or not set, the scheme is unknown, the package is not found, or the text is empty or
    /// longer than any path.
    pub fn resolve(&self, directory: &Path, text: &str) -> Result<PathBuf, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > LONGEST_PATH {
            return Err(PathError::TooLong { length: text.len(), start: text.chars().take(40).collect() });
        }
        if let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) {
            return match scheme {
                "file" => Ok(directory.join(percent_decoded(rest))),
                "package" => self.resolve_package(directory, text, &percent_decoded(rest)),
                _ => Err(PathError::UnknownScheme { scheme: scheme.to_owned(), uri: text.to_owned() }),
            };
        }
        let Some(rest) = text.strip_prefix("${") else {
            return Ok(directory.join(text));
        };
        let Some((variable, rest)) = rest.split_once('}') else {
            return Err(PathError::Unterminated(text.to_owned()));
        };
        let root = match variable {
            "SHARE" => self.share_with(rest).ok_or_else(|| PathError::ShareNotSet(text.to_owned()))?,
            "HOME" => std::env::home_dir().unwrap_or_default(),
            PROGRAM_TOP => set(&self.program_top, PROGRAM_TOP, text)?,
            PROJECT_DIR => set(&self.project, PROJECT_DIR, text)?,
            _ => {
                return Err(PathError::UnknownVariable { variable: variable.to_owned(), path: text.to_owned() });
            }
        };
        Ok(root.join(rest.trim_start_matches('/')))
    }

    /// Resolves `text`, written in a file in `directory`, to an existing file.
    ///
    /// # Errors
    /// As [`SearchRoots::resolve`], and if the file does not exist or may not be read.
    pub fn find(&self, directory: &Path, text: &str) -> Result<PathBuf, PathError> {
        let path = self.resolve(directory, text)?;
        if !self.outside_allowed && !self.around.is_empty() {
            let real = canonical(&path);
            if !self.holds(&real) {
                let mut roots = self.roots();
                roots.dedup();
                return Err(PathError::Outside { path: real, roots });
            }
        }
        if !path.exists() {
            let searched = if Path::new(text).is_absolute() || text.contains("://") {
                vec![]
            } else if text.starts_with("${") {
                self.shares.clone()
            } else {
                vec![directory.to_owned()]
            };
            return Err(PathError::NotFound { path, searched });
        }
        if let Some(found) = &self.found {
            found.add(&path);
        }
        Ok(path)
    }

    /// The first share directory in which this path exists, or else the first one.
    fn share_with(&self, rest: &str) -> Option<PathBuf> {
        let has = |share: &&PathBuf| share.join(rest.trim_start_matches('/')).exists();
        let first = || self.shares.first();
        let found = if self.shares.len() > 1 { self.shares.iter().find(has).or_else(first) } else { first() };
        found.cloned()
    }

    /// Directories from which files may be read; meaningless before [`SearchRoots::around`].
    fn roots(&self) -> Vec<PathBuf> {
        let given = self.shares.iter().chain(&self.program_top).chain(&self.project).chain(&self.packages);
        let given = given.map(|root| canonical(root));
        self.around.iter().cloned().chain(given).collect()
    }

    /// Whether a canonical path may be read.
    fn holds(&self, real: &Path) -> bool {
        self.outside_allowed || self.around.is_empty() || self.roots().iter().any(|root| real.starts_with(root))
    }

    /// Resolves `package://name/rest`. Search order for the package:
    ///
    /// 1. around the file itself: in each directory above it and beside these, a directory whose manifest has that
    ///    name;
    /// 2. in the package directories, or one of them itself; the original also tries `rest` there without the name;
    /// 3. a directory above the file that has the name, as models are often copied without their manifests.
    ///
    /// Permission to read is checked by [`SearchRoots::find`], not here.
    fn resolve_package(&self, directory: &Path, uri: &str, path: &str) -> Result<PathBuf, PathError> {
        let (package, rest) = path.split_once('/').unwrap_or((path, ""));
        let rest = rest.trim_start_matches('/');
        let named = |root: &&Path| root.file_name() == Some(OsStr::new(package));
        let directory = canonical(directory);
        let above = || directory.ancestors().filter(|above| above.parent().is_some());
        // Directories outside the roots are not searched.
        let inside = || above().filter(|above| self.holds(above));
        let beside = inside().map(|above| above.join(package)).filter(|_| is_plain_name(package));
        let around = inside().map(Path::to_owned).chain(beside).filter(|place| is_package_called(place, package));
        let in_packages = self.packages.iter().map(|root| root.join(package));
        let packages = self.packages.iter().filter(|root| named(&root.as_path())).cloned();
        let without_name = self.packages.iter().cloned();
        let named_so = above().filter(named).map(Path::to_owned);
        let places = around.chain(in_packages).chain(packages).chain(without_name).map(|place| place.join(rest));
        // The result must not reveal whether a file exists outside the roots.
        let found = |path: &PathBuf| path.exists() || !self.holds(&canonical(path));
        let named_so = named_so.map(|place| place.join(rest));
        places.chain(named_so).find(found).ok_or_else(|| PathError::PackageNotFound {
            package: package.to_owned(),
            uri: uri.to_owned(),
            searched: self.packages.clone(),
        })
    }
}

/// Value of a variable, or the error that it is not set.
fn set(directory: &Option<PathBuf>, variable: &'static str, path: &str) -> Result<PathBuf, PathError> {
    directory.clone().ok_or_else(|| PathError::VariableNotSet { variable, path: path.to_owned() })
}

/// Whether a text is the name of a single directory, without separators or `..`.
fn is_plain_name(text: &str) -> bool {
    let mut parts = Path::new(text).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

fn is_scheme(text: &str) -> bool {
    text.len() > 1 && text.starts_with(|first: char| first.is_ascii_alphabetic()) && {
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    }
}

/// Decodes `%20` and the like. Other text, and codes that give no UTF-8, stay unchanged.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while let Some(&byte) = bytes.get(place) {
        let code = bytes
            .get(place + 1..place + 3)
            .filter(|_| byte == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        decoded.push(code.unwrap_or(byte));
        place += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

/// Canonical path. Of a path that does not exist, the existing part is canonical and the rest is normalized as text.
fn canonical(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            _ => plain.push(part),
        }
    }
    // From the top down: nothing exists below a missing directory, and each check on disk walks the whole path.
    let above: Vec<&Path> = plain.ancestors().collect();
    let existing = above.iter().rev().map_while(|&above| Some((above, above.canonicalize().ok()?))).last();
    match existing.and_then(|(above, real)| Some(real.join(plain.strip_prefix(above).ok()?))) {
        Some(real) => real,
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_start_at_the_file() {
        let roots = SearchRoots::default();
        assert_eq!(
            roots.resolve(Path::new("assets/scenes"), "../floor.body"),
            Ok("assets/scenes/../floor.body".into())
        );
    }

    #[test]
    fn share_resolves_to_the_given_directory() {
        let roots = SearchRoots::new(Some("/opt/share".into()));
        assert_eq!(roots.resolve(Path::new("x"), "${SHARE}/model/a.body"), Ok("/opt/share/model/a.body".into()));
    }

    #[test]
    fn of_several_share_directories_the_first_with_the_file_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let share = |name: &str| folder.path().join(name);
        for (share, file) in [(share("a"), "one.body"), (share("b"), "one.body"), (share("b"), "two.body")] {
            std::fs::create_dir_all(&share).unwrap();
            std::fs::write(share.join(file), "").unwrap();
        }
        let roots = SearchRoots::new([share("a"), share("b")]).around(&share("c/scene.yaml"));
        let find = |file: &str| roots.find(&share("c"), &format!("${{SHARE}}/{file}"));
        assert_eq!(find("one.body"), Ok(share("a/one.body")));
        assert_eq!(find("two.body"), Ok(share("b/two.body")));
        let missing = find("three.body").unwrap_err().to_diagnostic().help.unwrap();
        assert!(missing.contains(&*share("a").to_string_lossy()) && missing.contains(&*share("b").to_string_lossy()));
    }

    #[test]
    fn program_top_and_project_dir_resolve_to_the_given_directories() {
        let roots = SearchRoots::default();
        for (variable, option) in [("PROGRAM_TOP", "--program-top"), ("PROJECT_DIR", "--project-dir")] {
            let error = roots.resolve(Path::new("x"), &format!("${{{variable}}}/a.stl")).unwrap_err();
            assert!(error.to_diagnostic().help.unwrap().contains(option), "{error}");
        }
        let roots = roots.with_variables(Some("/opt/choreonoid".into()), Some("/home/me/walk".into()));
        assert_eq!(roots.resolve(Path::new("x"), "${PROGRAM_TOP}/a.stl"), Ok("/opt/choreonoid/a.stl".into()));
        assert_eq!(roots.resolve(Path::new("x"), "${PROJECT_DIR}/a.stl"), Ok("/home/me/walk/a.stl".into()));
    }

    #[test]
    fn mistakes_are_named() {
        let roots = SearchRoots::default();
        let error = roots.resolve(Path::new("."), "${SHARE}/a").unwrap_err();
        assert!(error.to_diagnostic().help.unwrap().contains("BUNRAKU_SHARE"));
        let error = roots.resolve(Path::new("."), "${SHRE}/a").unwrap_err();
        assert_eq!(error.to_diagnostic().help.unwrap(), "did you mean `${SHARE}`?");
        assert!(roots.resolve(Path::new("."), "${SHARE/a").is_err());
        assert!(roots.resolve(Path::new("."), "").is_err());
        let error = roots.resolve(Path::new("."), "http://example.com/a.stl").unwrap_err();
        assert_eq!(error.to_string(), "`http://` cannot be read: http://example.com/a.stl");
    }

    #[test]
    fn file_uris_are_absolute_and_may_be_percent_encoded() {
        let roots = SearchRoots::default();
        assert_eq!(roots.resolve(Path::new("x"), "file:///a/b%20c.stl"), Ok("/a/b c.stl".into()));
        assert_eq!(roots.resolve(Path::new("x"), "file:///a/b%zz"), Ok("/a/b%zz".into()));
        assert_eq!(roots.resolve(Path::new("x"), "b%20c.stl"), Ok("x/b%20c.stl".into()), "a path is no URI");
    }

    #[test]
    fn packages_are_found_around_the_file_and_in_the_package_directories() {
        let top = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let (near, far) = (write("arm/meshes/a.stl"), write("ws/src/hand/b.stl"));
        std::fs::create_dir_all(top.path().join("arm/robots")).unwrap();
        let directory = top.path().join("arm/robots");
        let roots = SearchRoots::default().with_packages([top.path().join("ws/src")]).around(&directory.join("x.body"));
        let found = |uri: &str| roots.find(&directory, uri).map(|path| path.canonicalize().unwrap());
        assert_eq!(found("package://arm/meshes/a.stl"), Ok(near.canonicalize().unwrap()));
        assert_eq!(found("package://hand/b.stl"), Ok(far.canonicalize().unwrap()));
        let error = found("package://foot/c.stl").unwrap_err();
        assert!(error.to_diagnostic().help.unwrap().contains("ws/src"));
    }

    /// Directory with these files. They are empty except manifests, which contain the given package name.
    fn tree(files: &[&str]) -> tempfile::TempDir {
        let top = tempfile::tempdir().unwrap();
        for file in files {
            let (file, name) = file.split_once('=').unwrap_or((file, ""));
            let path = top.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, if name.is_empty() { String::new() } else { format!("<name>{name}</name>") })
                .unwrap();
        }
        top
    }

    #[test]
    fn a_directory_name_gives_no_permission_to_read_it() {
        let top = tree(&["secret.txt", "models/arm/arm.body"]);
        let directory = top.path().join("models/arm");
        let name = top.path().file_name().unwrap().to_str().unwrap();
        let roots = SearchRoots::default().around(&directory.join("arm.body"));
        for file in ["secret.txt", "none.txt", "models/../secret.txt", "/secret.txt"] {
            let found = roots.find(&directory, &format!("package://{name}/{file}"));
            assert!(matches!(found, Err(PathError::Outside { .. })), "{file}: {found:?}");
        }
        // A manifest, too, is read only within the roots.
        std::fs::write(top.path().join("package.xml"), format!("<name>{name}</name>")).unwrap();
        std::fs::write(directory.join("package.xml"), "<name>arm</name>").unwrap();
        let roots = SearchRoots::default().around(&directory.join("arm.body"));
        let found = roots.find(&directory, &format!("package://{name}/secret.txt"));
        assert!(matches!(found, Err(PathError::Outside { .. })), "{found:?}");
        for uri in ["package://../../secret.txt", "package://arm/../../secret.txt", "package:///etc/passwd"] {
            assert!(roots.find(&directory, uri).is_err(), "{uri}");
        }
        assert!(roots.allow_outside(true).find(&directory, &format!("package://{name}/secret.txt")).is_ok());
    }

    #[test]
    fn packages_have_the_names_of_their_manifests() {
        let top = tree(&[
            "ws/.git/HEAD",
            "ws/src/arm-1.2/package.xml=arm",
            "ws/src/arm-1.2/urdf/arm.body",
            "ws/src/arm-1.2/meshes/a.stl",
            "ws/src/hand/manifest.xml",
            "ws/src/hand/b.stl",
        ]);
        let directory = top.path().join("ws/src/arm-1.2/urdf");
        let roots = SearchRoots::default().around(&directory.join("arm.body"));
        let found = |uri: &str| roots.find(&directory, uri).map(|path| path.canonicalize().unwrap());
        let file = |path: &str| Ok(top.path().join(path).canonicalize().unwrap());
        assert_eq!(found("package://arm/meshes/a.stl"), file("ws/src/arm-1.2/meshes/a.stl"));
        assert_eq!(found("package://hand/b.stl"), file("ws/src/hand/b.stl"), "beside it in the repository");
    }

    #[test]
    fn the_unit_that_contains_a_model_is_a_root() {
        for (mark, outside) in [
            ("top/package.xml", None),
            ("top/manifest.xml", None),
            ("top/.git/HEAD", None),
            ("top/default/materials.yaml", None),
            ("top/notes.txt", Some("outside-roots")),
        ] {
            let top = tree(&[mark, "top/model/arms/one/arm.body", "top/sensor/x.wrl", "top/model/arms/y.wrl", "z.wrl"]);
            let directory = top.path().join("top/model/arms/one");
            let roots = SearchRoots::default().around(&directory.join("arm.body"));
            let code = |path: &str| roots.find(&directory, path).err().map(|error| error.to_diagnostic().code);
            assert_eq!(code("../../../sensor/x.wrl"), outside, "{mark}");
            assert_eq!(code("../y.wrl"), None, "{mark}");
            assert_eq!(code("../../../../z.wrl"), Some("outside-roots"), "{mark}");
        }
    }

    #[test]
    fn files_outside_the_roots_are_not_read() {
        let top = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(top.path().join("models/arm/parts")).unwrap();
        for file in ["secret.stl", "models/hand.stl", "models/arm/arm.body", "models/arm/parts/a.stl"] {
            std::fs::write(top.path().join(file), "").unwrap();
        }
        let directory = top.path().join("models/arm");
        let roots = SearchRoots::default().around(&directory.join("arm.body"));
        assert!(roots.find(&directory, "parts/a.stl").is_ok());
        assert!(roots.find(&directory, "../hand.stl").is_ok(), "models stand beside each other in one folder");
        let error = roots.find(&directory, "../../secret.stl").unwrap_err();
        assert!(matches!(error, PathError::Outside { .. }), "{error}");
        assert!(error.to_diagnostic().help.unwrap().contains("--allow-outside"));
        let absolute = top.path().join("secret.stl");
        assert!(matches!(roots.find(&directory, absolute.to_str().unwrap()), Err(PathError::Outside { .. })));
        let missing = roots.find(&directory, "../../none.stl");
        assert!(matches!(missing, Err(PathError::Outside { .. })), "{missing:?}");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&absolute, directory.join("parts/link.stl")).unwrap();
            assert!(matches!(roots.find(&directory, "parts/link.stl"), Err(PathError::Outside { .. })));
        }
        assert!(roots.allow_outside(true).find(&directory, "../../secret.stl").is_ok());
    }

    #[test]
    fn a_found_file_is_listed_once() {
        let top = tree(&["arm/a.stl", "arm/b.stl"]);
        let found = FoundFiles::default();
        let roots = SearchRoots::default().noting(&found).around(&top.path().join("arm/arm.body"));
        for name in ["a.stl", "../arm/a.stl", "c.stl"] {
            let _ = roots.find(&top.path().join("arm"), name);
        }
        assert_eq!(found.files(), [top.path().join("arm/a.stl").canonicalize().unwrap()]);
    }

    #[test]
    fn a_path_longer_than_path_max_is_refused() {
        let top = tempfile::tempdir().unwrap();
        let roots = SearchRoots::default().around(&top.path().join("m.body"));
        for text in ["a/".repeat(100_000), format!("package://p/{}", "a/".repeat(100_000)), "é".repeat(2049)] {
            let error = roots.find(top.path(), &text).unwrap_err();
            assert!(matches!(&error, PathError::TooLong { length, .. } if *length == text.len()), "{error}");
            let diagnostic = error.to_diagnostic();
            assert_eq!(diagnostic.code, "bad-path");
            assert!(diagnostic.message.len() < 200, "{diagnostic}");
        }
        let longest = roots.find(top.path(), &"a/".repeat(LONGEST_PATH / 2));
        assert!(matches!(longest, Err(PathError::NotFound { .. })), "{longest:?}");
    }

    #[test]
    fn a_missing_file_names_where_it_was_searched() {
        let top = tempfile::tempdir().unwrap();
        let error = SearchRoots::default().find(top.path(), "a.stl").unwrap_err();
        assert!(error.to_diagnostic().help.unwrap().contains(top.path().to_str().unwrap()));
    }
}
