//! `xacro:macro`, and calls of macros.

use std::rc::Rc;

use bunraku_document::{Diagnostic, closest};

use super::expand::{Expander, Stop};
use super::parameters::{Kind, Macro, parameters};
use super::scopes::{Block, Property, ScopeIndex};
use super::texts::typed;
use super::tree::{Element, Node};

/// Maximum number of calls.
const MOST_CALLS: usize = 100_000;

impl Expander<'_> {
    /// Defines a macro, in place of an older one of its name.
    pub(super) fn define(&mut self, element: &Rc<Element>) -> Result<(), Stop> {
        let name = &self.required(element, "name")?.value;
        let name = name.strip_prefix("xacro:").unwrap_or(name).to_owned();
        let parameters = match element.attribute("params") {
            None => Vec::new(),
            Some(attribute) => parameters(&attribute.value)
                .map_err(|message| self.stop_in(element, attribute, Diagnostic::error("xacro", message)))?,
        };
        self.macros.insert(name, Rc::new(Macro { element: Rc::clone(element), parameters }));
        Ok(())
    }

    /// Expands `<xacro:NAME …>` or `<xacro:call macro="NAME" …>`.
    pub(super) fn call(&mut self, element: &Rc<Element>, scope: ScopeIndex) -> Result<(), Stop> {
        let is_by_name = element.name == "call";
        let name = if is_by_name {
            let attribute = self.required(element, "macro")?;
            let name = self.attribute_text(element, attribute, scope)?;
            name.strip_prefix("xacro:").unwrap_or(&name).to_owned()
        } else {
            element.name.clone()
        };
        let Some(called) = self.macros.get(&name).cloned() else { return Err(self.unknown_macro(element, &name)) };
        self.num_calls += 1;
        if self.num_calls > MOST_CALLS {
            let error = Diagnostic::error("limit-calls", format!("there are more than {MOST_CALLS} calls of macros"));
            return Err(self.stop_at(element, error.help("does a macro call itself without an end?")));
        }
        let inner = self.scopes.inside(scope);
        self.pass_values(element, (&name, &called, is_by_name), scope, inner)?;
        self.pass_blocks(element, (&name, &called), scope, inner)?;
        self.calls.push((name, Rc::clone(element)));
        self.nodes(&called.element.children, inner)?;
        self.calls.pop();
        Ok(())
    }

    /// Sets the parameters that are attributes.
    fn pass_values(
        &mut self,
        element: &Element,
        (name, called, is_by_name): (&str, &Macro, bool),
        scope: ScopeIndex,
        inner: ScopeIndex,
    ) -> Result<(), Stop> {
        let is_value = |kind: &Kind| matches!(kind, Kind::Value { .. });
        let own = element.attributes.iter().filter(|attribute| !attribute.is_xacro);
        for attribute in own.filter(|attribute| !(is_by_name && attribute.name == "macro")) {
            let mut known = called.parameters.iter().filter(|parameter| is_value(&parameter.kind));
            if !known.clone().any(|parameter| parameter.name == attribute.name) {
                let message = format!("the macro `{name}` has no parameter `{}`", attribute.name);
                let error = Diagnostic::error("xacro", message);
                let meant = closest(&attribute.name, known.by_ref().map(|parameter| parameter.name.as_str()));
                return Err(self.stop_in(
                    element,
                    attribute,
                    match meant {
                        Some(meant) => error.help(format!("did you mean `{meant}`?")),
                        None => error.help("its `params` list them"),
                    },
                ));
            }
            let value = self.text(&attribute.value, (element.file, &attribute.range), scope)?;
            self.scopes.set(inner, &attribute.name, Property::Value(typed(value)));
        }
        for parameter in &called.parameters {
            let Kind::Value { inherits, default } = &parameter.kind else { continue };
            if element.attribute(&parameter.name).is_some() {
                continue;
            }
            let around = match inherits {
                true => self
                    .variable(scope, &parameter.name)
                    .map_err(|message| self.stop_at(element, Diagnostic::error("xacro", message)))?,
                false => None,
            };
            let property = match (around, default) {
                (Some(value), _) => Property::Value(value),
                (None, Some(default)) => Property::Text(Rc::from(default.as_str()), Rc::clone(&called.element)),
                (None, None) => {
                    let message = format!("the macro `{name}` needs the parameter `{}`", parameter.name);
                    return Err(self.stop_at(element, Diagnostic::error("missing-key", message)));
                }
            };
            self.scopes.set(inner, &parameter.name, property);
        }
        Ok(())
    }

    /// Sets the parameters that are elements inside the call, in their order.
    fn pass_blocks(
        &mut self,
        element: &Element,
        (name, called): (&str, &Macro),
        scope: ScopeIndex,
        inner: ScopeIndex,
    ) -> Result<(), Stop> {
        let mut given = Vec::new();
        self.collect_blocks(&element.children, scope, &mut given)?;
        let mut given = given.into_iter();
        for parameter in &called.parameters {
            let is_content = match parameter.kind {
                Kind::Value { .. } => continue,
                Kind::Element => false,
                Kind::Content => true,
            };
            let Some(block) = given.next() else {
                let message = format!("the macro `{name}` needs an element for `{}`", parameter.name);
                return Err(self.stop_at(element, Diagnostic::error("missing-key", message)));
            };
            let nodes = if is_content { block.children.clone() } else { vec![Node::Element(block)] };
            self.scopes.set_block(inner, &parameter.name, Block { nodes: Rc::new(nodes), scope: Some(scope) });
        }
        match given.next() {
            None => Ok(()),
            Some(block) => {
                let message = format!("the macro `{name}` takes no further element");
                let error = Diagnostic::error("xacro", message).help("its `params` list them as `*name` or `**name`");
                Err(self.stop_at(&block, error))
            }
        }
    }

    /// The elements inside a call; those of a condition if it holds.
    fn collect_blocks(&mut self, nodes: &[Node], scope: ScopeIndex, found: &mut Vec<Rc<Element>>) -> Result<(), Stop> {
        for node in nodes {
            let Node::Element(element) = node else { continue };
            if element.is_xacro && matches!(element.name.as_str(), "if" | "unless") {
                if self.holds(element, scope)? {
                    self.collect_blocks(&element.children, scope, found)?;
                }
            } else {
                found.push(Rc::clone(element));
            }
        }
        Ok(())
    }
}
