//! Parser of the Markdown pages that describe the project.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A page of Markdown.
pub struct Page {
    /// Its path below the root.
    pub name: String,
    text: String,
}

/// A piece of a page, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub line: usize,
    pub text: String,
}

/// A block of code of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The word behind the fence, or an empty text.
    pub language: String,
    /// The line of its first line of text.
    pub line: usize,
    pub text: String,
}

/// All pages for readers.
pub fn pages() -> Vec<Page> {
    let mut names: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benches/peers/README.md"].map(str::to_owned).into();
    names.extend(pages_below("docs"));
    names.sort();
    let read = |name: String| Page {
        text: fs::read_to_string(root().join(&name)).unwrap_or_else(|error| panic!("{name}: {error}")),
        name,
    };
    names.into_iter().map(read).collect()
}

/// The pages in a directory and its directories, by their paths below the root.
fn pages_below(directory: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap());
    let pages = entries.map(|entry| {
        let name = format!("{directory}/{}", entry.file_name().into_string().unwrap());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() { pages_below(&name) } else { vec![name] }
    });
    pages.flatten().filter(|name| name.ends_with(".md")).collect()
}

impl Page {
    /// The directory that links of the page are relative to.
    pub fn directory(&self) -> PathBuf {
        root().join(&self.name).parent().unwrap().to_owned()
    }

    /// A location in the page, for messages.
    pub fn at(&self, found: &Found) -> String {
        format!("{}:{}", self.name, found.line)
    }

    /// All blocks of code, in order.
    pub fn all_blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut is_inside = false;
        for (number, line) in self.text.lines().enumerate() {
            match line.trim_start().strip_prefix("```") {
                Some(language) => {
                    is_inside = !is_inside;
                    if is_inside {
                        let language = language.trim().to_owned();
                        blocks.push(Block { language, line: number + 2, text: String::new() });
                    }
                }
                None if is_inside => {
                    let block = blocks.last_mut().unwrap();
                    block.text += line;
                    block.text.push('\n');
                }
                None => {}
            }
        }
        blocks
    }

    /// Shell commands, line by line, without comments.
    pub fn shell(&self) -> Vec<Found> {
        self.all_blocks().iter().flat_map(Block::commands).collect()
    }

    /// The anchors of the headings: lower case, blanks as hyphens, without punctuation.
    pub fn anchors(&self) -> Vec<String> {
        let mut is_block = false;
        let mut anchors = Vec::new();
        for line in self.text.lines() {
            is_block ^= line.trim_start().starts_with("```");
            let Some(heading) = line.strip_prefix('#').filter(|_| !is_block) else { continue };
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let letters = heading.chars().filter(|letter| letter.is_alphanumeric() || "-_ ".contains(*letter));
            anchors.push(letters.map(|letter| if letter == ' ' { '-' } else { letter }).collect());
        }
        anchors
    }

    /// Text between backticks outside of blocks.
    pub fn spans(&self) -> Vec<Found> {
        let mut spans = Vec::new();
        let mut is_block = false;
        // A span ends at the latest with its paragraph.
        let mut paragraph = String::new();
        let mut first = 1;
        for (number, line) in self.text.lines().chain([""]).enumerate() {
            if line.trim_start().starts_with("```") {
                is_block = !is_block;
            } else if !is_block && !line.trim().is_empty() {
                if paragraph.is_empty() {
                    first = number + 1;
                }
                paragraph += line;
                paragraph.push('\n');
                continue;
            }
            spans_of(&paragraph, first, &mut spans);
            paragraph.clear();
        }
        spans
    }

    /// The targets of links that are not URLs, with their anchors.
    pub fn links(&self) -> Vec<Found> {
        let mut links = Vec::new();
        for (number, line) in self.text.lines().enumerate() {
            for rest in line.split("](").skip(1) {
                let target = rest.split(')').next().unwrap();
                if !target.contains("://") {
                    links.push(Found { line: number + 1, text: target.to_owned() });
                }
            }
        }
        links
    }
}

impl Block {
    /// The commands of a block of shell, without comments.
    pub fn commands(&self) -> Vec<Found> {
        if self.language != "sh" {
            return Vec::new();
        }
        let mut commands = Vec::new();
        for (number, line) in self.text.lines().enumerate() {
            let line = line.find(" #").map_or(line, |comment| &line[..comment]).trim();
            commands
                .extend(line.split("&&").map(|text| Found { line: self.line + number, text: text.trim().to_owned() }));
        }
        commands.retain(|found| !found.text.is_empty() && !found.text.starts_with('#'));
        commands
    }
}

fn spans_of(paragraph: &str, first: usize, spans: &mut Vec<Found>) {
    let mut at = 0;
    while let Some(start) = paragraph[at..].find('`').map(|start| at + start) {
        let length = paragraph[start..].find(|letter| letter != '`').unwrap_or(paragraph.len() - start);
        let inside = start + length;
        let Some(end) = paragraph[inside..].find(&"`".repeat(length)).map(|end| inside + end) else { return };
        let line = first + paragraph[..start].matches('\n').count();
        // In tables the bar is escaped.
        let text = paragraph[inside..end].replace("\\|", "|").replace('\n', " ");
        spans.push(Found { line, text: text.trim().to_owned() });
        at = end + length;
    }
}

#[test]
fn pages_are_parsed() {
    let text = "# A page, `x`: of one's\n\nSee `one\ntwo` and ``three ` four``,\n| `a\\|b` |\n\nan `open one\n\n```sh\nA=1 run x  # `why`\n# all\nfirst && last\n```\n[here](docs/a.md#b) [there](https://x) [below](#c)\n";
    let page = Page { name: "x.md".to_owned(), text: text.to_owned() };
    let shown =
        |found: Vec<Found>| found.into_iter().map(|found| format!("{} {}", found.line, found.text)).collect::<Vec<_>>();
    assert_eq!(shown(page.spans()), ["1 x", "3 one two", "4 three ` four", "5 a|b"]);
    assert_eq!(shown(page.shell()), ["10 A=1 run x", "12 first", "12 last"]);
    assert_eq!(shown(page.links()), ["14 docs/a.md#b", "14 #c"]);
    assert_eq!(page.anchors(), ["a-page-x-of-ones"]);
}
