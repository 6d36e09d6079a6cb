//! `xacro:property`.

use std::rc::Rc;

use bunraku_document::Diagnostic;

use super::expand::{Expander, Stop};
use super::scopes::{Block, GLOBAL, Property, ScopeIndex};
use super::texts::typed;
use super::tree::Element;

impl Expander<'_> {
    pub(super) fn property(&mut self, element: &Rc<Element>, scope: ScopeIndex) -> Result<(), Stop> {
        let name = self.required(element, "name")?;
        let name = self.attribute_text(element, name, scope)?;
        let target = match element.attribute("scope") {
            None => scope,
            Some(attribute) => match attribute.value.trim() {
                "parent" => self.scopes.parent(scope).unwrap_or(GLOBAL),
                "global" => GLOBAL,
                other => {
                    let error = Diagnostic::error("xacro", format!("there is no scope `{other}`"));
                    return Err(self.stop_in(element, attribute, error.help("write `parent` or `global`")));
                }
            },
        };
        let is_set = |attribute: &str| element.attribute(attribute).is_some_and(|flag| flag.value.trim() == "true");
        if is_set("remove") {
            self.scopes.remove(target, &name);
            return Ok(());
        }
        let default = element.attribute("default");
        let is_known = self.scopes.find(target, &name).is_some() || self.scopes.block(target, &name).is_some();
        if default.is_some() && is_known {
            return Ok(());
        }
        let Some(value) = element.attribute("value").or(default) else {
            let nodes = Rc::new(element.children.clone());
            self.scopes.set_block(target, &name, Block { nodes, scope: None });
            return Ok(());
        };
        let is_lazy = element.attribute("lazy_eval").is_none_or(|flag| flag.value.trim() != "false");
        // Values for other scopes are those of this one.
        let property = if is_lazy && target == scope {
            Property::Text(Rc::from(value.value.as_str()), Rc::clone(element))
        } else {
            Property::Value(typed(self.text(&value.value, (element.file, &value.range), scope)?))
        };
        self.scopes.set(target, &name, property);
        Ok(())
    }
}
