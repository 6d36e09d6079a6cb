//! The dependencies between the files of a crate.

use std::collections::{BTreeMap, BTreeSet};

use super::module::{Module, ModulePath, read};

/// For each file the files that it needs, by name.
pub type Needs = BTreeMap<String, BTreeSet<String>>;

/// The files of a crate, by their paths below its `src`, with their texts.
pub fn needs(files: &BTreeMap<String, String>) -> Needs {
    let mut modules = Crate { modules: BTreeMap::new() };
    let mut texts: Vec<_> = files.iter().map(|(file, text)| (module_of(file), file, text)).collect();
    // Parents first: only modules that they declare outside of tests exist.
    texts.sort();
    for (path, file, text) in texts {
        let is_declared = path.split_last().is_none_or(|(name, parent)| {
            modules.modules.get(parent).is_some_and(|(_, parent)| parent.children.contains_key(name))
        });
        if is_declared {
            for (path, module) in read(&path, text) {
                modules.add(path, file, module);
            }
        }
    }
    modules.needs()
}

/// The module that is in a file.
fn module_of(file: &str) -> ModulePath {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut names: ModulePath = stem.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|name| name == "mod") || names.len() == 1 && matches!(stem, "lib" | "main") {
        names.pop();
    }
    names
}

/// The groups of files that depend on each other in a cycle, each in alphabetical order.
pub fn circles(needs: &Needs) -> BTreeSet<Vec<String>> {
    let reach: BTreeMap<_, _> = needs.keys().map(|file| (file, reached(needs, file))).collect();
    let leads = |from: &String, to: &String| reach.get(from).is_some_and(|reached| reached.contains(to));
    let group = |file| {
        let members = reach[file].iter().filter(|other| leads(other, file));
        members.map(|member| (*member).clone()).collect::<Vec<_>>()
    };
    needs.keys().map(group).filter(|group| group.len() > 1).collect()
}

/// The files that a file needs, directly or indirectly.
fn reached<'a>(needs: &'a Needs, file: &'a String) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        open.extend(needs.get(file).into_iter().flatten().filter(|next| reached.insert(*next)));
    }
    reached
}

struct Crate {
    /// The modules, each with its file.
    modules: BTreeMap<ModulePath, (String, Module)>,
}

/// The target of a path.
enum Target {
    Module(ModulePath),
    /// An item of a file.
    Item(String),
}

impl Crate {
    /// Adds a module; both `lib.rs` and `main.rs` are the root.
    fn add(&mut self, path: ModulePath, file: &str, module: Module) {
        match self.modules.get_mut(&path) {
            Some((_, known)) => {
                known.children.extend(module.children);
                known.items.extend(module.items);
                known.imports.extend(module.imports);
                known.globs.extend(module.globs);
                known.paths.extend(module.paths);
                known.names.extend(module.names);
            }
            None => {
                self.modules.insert(path, (file.to_owned(), module));
            }
        }
    }

    fn needs(&self) -> Needs {
        let mut needs = Needs::new();
        for (path, (file, module)) in &self.modules {
            let of_file = needs.entry(file.clone()).or_default();
            let mut need = |named: &[String]| {
                if let Some(Target::Item(other)) = self.find(path, named, 0)
                    && other != *file
                {
                    of_file.insert(other);
                }
            };
            for import in &module.imports {
                // A re-exported name that the module itself does not use is not needed.
                if !import.is_public || module.names.contains(&import.name) {
                    need(&import.path);
                }
            }
            for named in &module.paths {
                need(named);
            }
            for glob in &module.globs {
                if let Some(Target::Module(from)) = self.find(path, glob, 0) {
                    for name in &module.names {
                        if self.names(&from).any(|known| known == name) {
                            need(&[glob.as_slice(), std::slice::from_ref(name)].concat());
                        }
                    }
                }
            }
        }
        needs
    }

    /// The names that a module has, without those of its globs.
    fn names(&self, path: &[String]) -> impl Iterator<Item = &String> {
        let module = self.modules.get(path).map(|(_, module)| module);
        module.into_iter().flat_map(|module| {
            module.items.iter().chain(module.children.keys()).chain(module.imports.iter().map(|import| &import.name))
        })
    }

    /// The target of a path in a module; `None` if it is not in this crate.
    fn find(&self, from: &[String], path: &[String], depth: usize) -> Option<Target> {
        // Imports may refer to each other in a cycle.
        if depth > 20 {
            return None;
        }
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(Vec::new()),
            "self" => Target::Module(from.to_vec()),
            "super" => Target::Module(from[..from.len().checked_sub(1)?].to_vec()),
            _ => self.member(from, first, false, depth)?,
        };
        while let (Target::Module(module), Some((name, behind))) = (&target, rest.split_first()) {
            target = if name == "super" {
                Target::Module(module[..module.len().checked_sub(1)?].to_vec())
            } else {
                self.member(module, name, true, depth)?
            };
            rest = behind;
        }
        Some(target)
    }

    /// The target of a name in a module. A name `from_outside` that is not found was generated by a macro: it is in the
    /// module's own file.
    fn member(&self, path: &[String], name: &str, from_outside: bool, depth: usize) -> Option<Target> {
        let (file, module) = self.modules.get(path)?;
        if module.children.contains_key(name) {
            return Some(Target::Module([path, &[name.to_owned()]].concat()));
        }
        if module.items.contains(name) {
            return Some(Target::Item(file.clone()));
        }
        if let Some(import) = module.imports.iter().find(|import| import.name == name) {
            // At the root, `name` in `use name::…` is a crate.
            return if import.path.first().is_some_and(|first| first == name) {
                None
            } else {
                self.find(path, &import.path, depth + 1)
            };
        }
        // Globs of other crates are not resolved, and must not be searched in each other.
        let is_ours = |first: &String| {
            matches!(first.as_str(), "crate" | "self" | "super") || module.children.contains_key(first)
        };
        let known = |glob: &&Vec<String>| {
            glob.first().is_some_and(is_ours)
                && matches!(self.find(path, glob, depth + 1), Some(Target::Module(from)) if self.names(&from).any(|known| known == name))
        };
        if let Some(glob) = module.globs.iter().find(known) {
            return self.find(path, &[glob.as_slice(), &[name.to_owned()]].concat(), depth + 1);
        }
        from_outside.then(|| Target::Item(file.clone()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{circles, needs};

    fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
    }

    fn found(given: &[(&str, &str)]) -> Vec<String> {
        let needs = needs(&files(given));
        needs.iter().flat_map(|(file, others)| others.iter().map(move |other| format!("{file} {other}"))).collect()
    }

    #[test]
    fn names_are_followed_to_the_file_that_defines_them() {
        let found = found(&[
            ("lib.rs", "mod a; mod b; pub use a::deep::Deep; pub use b::*;"),
            ("a/mod.rs", "pub mod deep; pub(crate) use deep::Deep as Renamed; pub fn whole() {}"),
            ("a/deep.rs", "pub struct Deep; pub fn part() {}"),
            ("b.rs", "use crate::a; use crate::a::Renamed; pub fn b() -> Renamed { a::whole(); a::deep::part() }"),
            ("c.rs", "use crate::nothing;"),
        ]);
        assert_eq!(found, ["b.rs a/deep.rs", "b.rs a/mod.rs"]);
    }

    #[test]
    fn reexported_names_are_needed_only_where_they_are_named() {
        let of = |code: &str| found(&[("lib.rs", &format!("mod a; pub use a::A; {code}")), ("a.rs", "pub struct A;")]);
        assert!(of("").is_empty());
        assert_eq!(of("fn f(_: A) {}"), ["lib.rs a.rs"]);
    }

    #[test]
    fn globs_and_children_count() {
        let found = found(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use super::b::*; fn f() -> B {}"),
            ("b.rs", "mod c; pub struct B; fn g() { c::g() }"),
            ("b/c.rs", "pub fn g() {}"),
        ]);
        assert_eq!(found, ["a.rs b.rs", "b.rs b/c.rs"]);
    }

    #[test]
    fn files_for_tests_alone_do_not_count() {
        let found = found(&[
            ("lib.rs", "pub struct L; #[cfg(test)] mod tests;"),
            ("tests.rs", "use super::L; mod more;"),
            ("tests/more.rs", "use crate::L;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn cycles_are_groups_of_files() {
        let given = files(&[
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            ("b.rs", "use crate::c::C; pub struct B;"),
            ("c.rs", "use crate::{a::A, d::D}; pub struct C;"),
            ("d.rs", "pub struct D(super::e::E);"),
            ("e.rs", "use super::d::D; pub struct E;"),
        ]);
        let found: Vec<_> = circles(&needs(&given)).into_iter().map(|group| group.join(" ")).collect();
        assert_eq!(found, ["a.rs b.rs c.rs", "d.rs e.rs"]);
    }
}
