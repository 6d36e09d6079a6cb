//! The modules of a Rust file: what it declares, defines, imports and names by paths.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Token, tokens};

/// The names from the root of the crate; empty for the root itself.
pub type ModulePath = Vec<String>;

/// A module, in a file of its own or not. Items under `#[cfg(test)]` are left out.
#[derive(Debug, Default, PartialEq)]
pub struct Module {
    /// Modules that it declares, and whether they are in files of their own.
    pub children: BTreeMap<String, bool>,
    /// Items that it defines.
    pub items: BTreeSet<String>,
    pub imports: Vec<Import>,
    /// The paths in `use …::*`.
    pub globs: Vec<Vec<String>>,
    /// Paths of at least two names in its code.
    pub paths: BTreeSet<Vec<String>>,
    /// Names in its code that stand alone or are the first of a path.
    pub names: BTreeSet<String>,
}

/// A name imported by `use`.
#[derive(Debug, PartialEq)]
pub struct Import {
    pub name: String,
    pub path: Vec<String>,
    /// Whether it is re-exported: `pub use`.
    pub is_public: bool,
}

/// The modules of a file that is the module `path` itself.
pub fn read(path: &[String], text: &str) -> BTreeMap<ModulePath, Module> {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, at: 0, modules: BTreeMap::new() };
    reader.modules.entry(path.to_vec()).or_default();
    reader.read(&mut path.to_vec());
    reader.modules
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    modules: BTreeMap<ModulePath, Module>,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn word(&self, ahead: usize) -> Option<&'a str> {
        match self.peek(ahead)? {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(Token::Sign(sign))
    }

    fn module(&mut self, path: &[String]) -> &mut Module {
        self.modules.entry(path.to_vec()).or_default()
    }

    /// Reads a module up to its closing brace.
    fn read(&mut self, path: &mut ModulePath) {
        let mut depth = 0_usize;
        let mut is_public = false;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign('#') if self.is_sign(1, '[') || self.is_sign(1, '!') => {
                    if self.attribute() {
                        self.skip_item();
                    }
                    continue;
                }
                Token::Sign('{' | '(' | '[') => depth += 1,
                Token::Sign('}' | ')' | ']') if depth == 0 => return,
                Token::Sign('}' | ')' | ']') => depth -= 1,
                Token::Word("pub") => {
                    is_public = true;
                    self.at += 1;
                    if self.is_sign(0, '(') {
                        self.skip_brackets();
                    }
                    continue;
                }
                Token::Word("use") => {
                    self.at += 1;
                    // `use` in `impl Trait + use<'a>` is no import.
                    if !self.is_sign(0, '<') {
                        self.import(path, &mut Vec::new(), is_public);
                    }
                }
                Token::Word("mod") if self.word(1).is_some() => {
                    let name = self.word(1).unwrap_or_default().to_owned();
                    let is_file = self.is_sign(2, ';');
                    self.module(path).children.insert(name.clone(), is_file);
                    self.at += 3;
                    if !is_file {
                        path.push(name);
                        self.module(path);
                        self.read(path);
                        path.pop();
                        self.at += 1;
                    }
                    is_public = false;
                    continue;
                }
                Token::Word(keyword) => {
                    if depth == 0 {
                        self.definition(path, keyword);
                    }
                    self.path(path);
                }
                Token::Colons | Token::Sign(_) => {}
            }
            is_public = false;
            self.at += 1;
        }
    }

    /// Adds the item after a keyword.
    fn definition(&mut self, path: &[String], keyword: &str) {
        let name = match keyword {
            "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static" => self.word(1),
            "macro_rules" => self.word(2),
            _ => None,
        };
        if let Some(name) = name {
            self.module(path).items.insert(name.to_owned());
        }
    }

    /// Reads a path in code; ends at its last name.
    fn path(&mut self, module: &[String]) {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let follows = matches!(before, Some(Token::Colons | Token::Sign('.')));
        let mut names = Vec::new();
        while let Some(name) = self.word(0) {
            names.push(name.to_owned());
            if self.peek(1) != Some(Token::Colons) || self.word(2).is_none() {
                break;
            }
            self.at += 2;
        }
        if follows {
            return;
        }
        let module = self.module(module);
        module.names.extend(names.first().cloned());
        if names.len() > 1 {
            module.paths.insert(names);
        }
    }

    /// Reads a tree of `use` after the common prefix; ends at the token after it.
    fn import(&mut self, module: &[String], common: &mut Vec<String>, is_public: bool) {
        let start = common.len();
        while let Some(token) = self.peek(0) {
            match token {
                Token::Word("as") => {
                    let name = self.word(1).unwrap_or_default().to_owned();
                    self.module(module).imports.push(Import { name, path: common.clone(), is_public });
                    self.at += 2;
                    common.truncate(start);
                    return;
                }
                Token::Word(name) => common.push(name.to_owned()),
                Token::Colons => {}
                Token::Sign('*') => {
                    self.module(module).globs.push(common.clone());
                    self.at += 1;
                    common.truncate(start);
                    return;
                }
                Token::Sign('{') => {
                    self.at += 1;
                    while !self.is_sign(0, '}') && self.peek(0).is_some() {
                        self.import(module, common, is_public);
                        if self.is_sign(0, ',') {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    common.truncate(start);
                    return;
                }
                Token::Sign(_) => break,
            }
            self.at += 1;
        }
        let mut path = common.clone();
        // `use a::{self}` imports `a`.
        if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
            path.pop();
        }
        if let Some(name) = path.last().cloned() {
            self.module(module).imports.push(Import { name, path, is_public });
        }
        common.truncate(start);
    }

    /// Reads an attribute; returns whether it restricts its item to tests.
    fn attribute(&mut self) -> bool {
        self.at += 1;
        if self.is_sign(0, '!') {
            self.at += 1;
        }
        let start = self.at;
        self.skip_brackets();
        let inside = &self.tokens[start..self.at];
        let has = |word| inside.contains(&Token::Word(word));
        (inside.get(1) == Some(&Token::Word("cfg")) && has("test") && !has("not")) || inside.len() == 3 && has("test")
    }

    /// Skips from an opening bracket to after the closing one.
    fn skip_brackets(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match token {
                Token::Sign('{' | '(' | '[') => depth += 1,
                Token::Sign('}' | ')' | ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips to after an item: its semicolon, or the braces around its content.
    fn skip_item(&mut self) {
        let mut is_use = false;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign('{') if !is_use => return self.skip_brackets(),
                Token::Sign('{' | '(' | '[') => self.skip_brackets(),
                Token::Sign(';') => {
                    self.at += 1;
                    return;
                }
                Token::Sign('}' | ')' | ']') => return,
                token => {
                    is_use |= token == Token::Word("use");
                    self.at += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Module, read};

    fn path(text: &str) -> Vec<String> {
        text.split("::").map(str::to_owned).collect()
    }

    fn one(text: &str) -> Module {
        read(&path("here"), text).remove(&path("here")).unwrap()
    }

    fn imports(module: &Module) -> Vec<String> {
        let shown = |import: &super::Import| {
            format!("{}{} = {}", if import.is_public { "pub " } else { "" }, import.name, import.path.join("::"))
        };
        module.imports.iter().map(shown).collect()
    }

    #[test]
    fn trees_of_use_are_parsed() {
        let module = one(
            "use crate::{a::B, c::{self, D as E}, f};\npub(crate) use super::g::*;\npub use self::h::I;\nuse std::fmt as _;",
        );
        let expected = [
            "B = crate::a::B",
            "c = crate::c",
            "E = crate::c::D",
            "f = crate::f",
            "pub I = self::h::I",
            "_ = std::fmt",
        ];
        assert_eq!(imports(&module), expected);
        assert_eq!(module.globs, [path("super::g")]);
        assert!(module.items.is_empty() && module.paths.is_empty(), "{module:?}");
    }

    #[test]
    fn items_and_paths_are_found_and_methods_are_not_items() {
        let module =
            one("pub struct A { b: super::C }\nimpl A { pub const fn d(&self) -> E { self.f.g::<H>(); i::j::K } }\n\
             const L: u8 = 0; mod m; pub(super) mod n;");
        assert_eq!(module.items.iter().collect::<Vec<_>>(), ["A", "L"]);
        assert_eq!(module.paths.iter().collect::<Vec<_>>(), [&path("i::j::K"), &path("super::C")]);
        assert!(module.names.contains("E") && module.names.contains("H") && !module.names.contains("g"));
        assert_eq!(
            module.children.iter().map(|(name, file)| (name.as_str(), *file)).collect::<Vec<_>>(),
            [("m", true), ("n", true)]
        );
    }

    #[test]
    fn items_for_tests_are_left_out() {
        let module = one(
            "#[cfg(test)]\nuse crate::{a, b};\n#[cfg(test)]\nmod tests { use super::*; fn c() {} }\n#[cfg(all(test, feature = \"x\"))]\n\
             fn d() -> crate::e::F { todo!() }\n#[cfg(test)]\nmod far;\n#[cfg(not(test))]\nuse crate::g;\nfn h() {}",
        );
        assert_eq!(imports(&module), ["g = crate::g"]);
        assert_eq!(module.items.iter().collect::<Vec<_>>(), ["h"]);
        assert!(module.children.is_empty() && module.paths.is_empty(), "{module:?}");
    }

    #[test]
    fn modules_without_files_are_modules() {
        let modules = read(&path("here"), "mod inner { use super::A; pub struct B; }\nstruct A;\nuse inner::B;");
        let inner = &modules[&path("here::inner")];
        assert_eq!(imports(inner), ["A = super::A"]);
        assert!(inner.items.contains("B"));
        let outer = &modules[&path("here")];
        assert!(outer.items.contains("A") && !outer.children["inner"]);
        assert_eq!(imports(outer), ["B = inner::B"]);
    }
}
