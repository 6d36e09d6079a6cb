//! `PROTO` declarations and their instances.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::environment::Environment;
use super::limits::{FLATTER, MAX_HEIGHT, expansion_limit, instance_node_limit};
use super::openhrp::added_fields;
use super::parser::{Parser, unclosed_list};
use super::source::{Parsed, Problem, number};
use super::tree::{GivenField, find_given};
use super::{Declaration, FieldType, Instance, Location, Node, NodeKind, Prototype, Value};

const FEWER: &str = "do nested prototypes multiply each other? Use fewer of them";

impl Parser<'_> {
    /// Parses the rest of a `PROTO`.
    pub fn prototype(&mut self) -> Parsed<()> {
        let location = self.lexer.location();
        let name = self.lexer.word();
        if name.is_empty() {
            return Err(self.lexer.expected("the name of the `PROTO`"));
        }
        let name = self.decode(name);
        let mut prototype = Prototype {
            name: Arc::clone(&name),
            location,
            fields: Vec::new(),
            index: HashMap::new(),
            events: HashSet::new(),
            body: 0..0,
            height: 0,
            constant: OnceLock::new(),
        };
        self.interface(&mut prototype)?;
        prototype.body = self.lexer.skip_braces(false)?;
        for (field, default) in added_fields(&name) {
            let field = Declaration { name: Arc::from(*field), default: default.clone(), location, declared: false };
            declare(&mut prototype, field);
        }
        prototype.height = prototype.fields.iter().map(|field| field.default.height()).max().unwrap_or(0);
        if prototype.height > MAX_HEIGHT {
            let message = format!("`USE` and `PROTO` put more than {MAX_HEIGHT} nodes above each other here");
            return Err(Box::new(Problem::new(location, "limit-depth", message, FLATTER)));
        }
        match self.prototypes.get(&name) {
            None => {
                self.prototypes.insert(name, Arc::new(prototype));
            }
            // The body of a prototype is read for each instance, so a nested `PROTO` is met repeatedly.
            Some(known) if known.location == location => {}
            Some(_) => {
                let message = format!("`PROTO {name}` is declared before; the first declaration counts");
                self.warn(Problem::new(location, "repeated-prototype", message, "remove one of them"));
            }
        }
        Ok(())
    }

    /// Parses the fields and events in brackets.
    fn interface(&mut self, prototype: &mut Prototype) -> Parsed<()> {
        let at = self.lexer.location();
        if !self.lexer.take(b'[') {
            return Err(self.lexer.expected("`[`"));
        }
        while !self.lexer.take(b']') {
            if self.lexer.peek().is_none() {
                return Err(unclosed_list(at));
            }
            let is_field = self.interface_kind()?;
            let field_type = self.field_type()?;
            let location = self.lexer.location();
            let name = self.lexer.word();
            if name.is_empty() {
                return Err(self.lexer.expected("the name of a field"));
            }
            let name = self.decode(name);
            if !is_field {
                prototype.events.insert(name);
                continue;
            }
            let default = if self.lexer.take_word(b"IS") {
                self.connected(field_type)?.unwrap_or_else(|| Value::empty(field_type))
            } else {
                self.value(field_type)?
            };
            if !declare(prototype, Declaration { name: Arc::clone(&name), default, location, declared: true }) {
                let message = format!("the field `{name}` is declared before; the first declaration counts");
                self.warn(Problem::new(location, "repeated-field", message, "remove one of them"));
            }
        }
        Ok(())
    }

    /// Whether an entry of an interface is a field rather than an event.
    fn interface_kind(&mut self) -> Parsed<bool> {
        match self.lexer.peek_word() {
            b"field" | b"exposedField" => {
                self.lexer.word();
                Ok(true)
            }
            b"eventIn" | b"eventOut" => {
                self.lexer.word();
                Ok(false)
            }
            _ => Err(self.lexer.expected("`field`, `exposedField`, `eventIn`, `eventOut` or `]`")),
        }
    }

    fn field_type(&mut self) -> Parsed<FieldType> {
        match FieldType::from_name(self.lexer.peek_word()) {
            Some(field_type) => {
                self.lexer.word();
                Ok(field_type)
            }
            None => Err(self.lexer.expected("a field type such as `SFVec3f`")),
        }
    }

    /// Parses the rest of an `EXTERNPROTO`.
    pub fn external_prototype(&mut self, at: Location) -> Parsed<()> {
        let name = self.lexer.word();
        if name.is_empty() {
            return Err(self.lexer.expected("the name of the `EXTERNPROTO`"));
        }
        let name = self.decode(name);
        self.lexer.skip_balanced(b'[', b']', false)?;
        self.value(FieldType::MFString)?;
        let message = format!("prototypes in other files are not read, so nodes of type `{name}` are left out");
        self.warn(Problem::new(at, "external-prototype", message, "copy the declaration into this file"));
        self.externals.insert(name);
        Ok(())
    }

    /// Parses the fields of an instance and creates the node given by its body.
    pub fn instance(&mut self, prototype: Arc<Prototype>, at: Location) -> Parsed<NodeKind> {
        self.open()?;
        let mut given: Vec<GivenField> = Vec::new();
        while !self.lexer.take(b'}') {
            let location = self.lexer.location();
            let word = self.lexer.word();
            let known = prototype.index.get(&*self.source.decode(word)).copied();
            let Some((index, declaration)) =
                known.and_then(|index| Some((index, prototype.fields.get(index as usize)?)))
            else {
                let names = prototype.fields.iter().map(|field| &*field.name);
                self.unknown_field(word, &prototype.name, names, at, location)?;
                continue;
            };
            let field_type = declaration.field_type();
            let value = if self.lexer.take_word(b"IS") {
                match self.connected(field_type)? {
                    Some(value) => value,
                    None => continue,
                }
            } else {
                self.value(field_type)?
            };
            given.push(GivenField { index, location, value });
        }
        let given = self.without_repetition(&prototype, given);
        let (given, actual) = self.expand(&prototype, given, at)?;
        Ok(NodeKind::Instance(Instance { prototype, given, actual }))
    }

    /// The fields in the order of the declarations, without duplicates.
    fn without_repetition(&mut self, prototype: &Prototype, mut given: Vec<GivenField>) -> Vec<GivenField> {
        given.sort_by_key(|field| field.index);
        let mut fields: Vec<GivenField> = Vec::with_capacity(given.len());
        for field in given {
            match fields.last_mut().filter(|last| last.index == field.index) {
                Some(last) => {
                    let name = prototype.fields.get(field.index as usize).map(|field| &*field.name).unwrap_or_default();
                    let message = format!("`{name}` is set twice; the last value counts");
                    self.warn(Problem::new(field.location, "repeated-field", message, "remove one of them"));
                    *last = field;
                }
                None => fields.push(field),
            }
        }
        fields
    }

    /// Reads the body of the prototype with these values; returns them with the first node.
    fn expand(
        &mut self,
        prototype: &Arc<Prototype>,
        given: Vec<GivenField>,
        at: Location,
    ) -> Parsed<(Vec<GivenField>, Option<Arc<Node>>)> {
        if let Some(constant) = prototype.constant.get() {
            return Ok((given, constant.clone()));
        }
        if self.environments.iter().any(|outer| Arc::ptr_eq(&outer.prototype, prototype)) {
            let message = format!("`PROTO {}` contains itself", prototype.name);
            return Err(Box::new(Problem::new(at, "recursive-prototype", message, "remove this node")));
        }
        match self.expansion_left.checked_sub(prototype.body.len()) {
            Some(left) => self.expansion_left = left,
            None => {
                let limit = expansion_limit(self.source.bytes().len());
                let message = format!("instances of prototypes amount to more than {limit} bytes of text");
                return Err(Box::new(Problem::new(at, "limit-instances", message, FEWER)));
            }
        }
        let rest = self.lexer.enter(prototype.body.clone());
        let definitions = HashMap::new();
        let prototype_here = Arc::clone(prototype);
        self.environments.push(Environment { prototype: prototype_here, definitions, given, uses_fields: false });
        let actual = self.first_node();
        self.lexer.enter(rest);
        let environment = self.environments.pop();
        let actual = actual?;
        let (given, uses_fields) =
            environment.map(|environment| (environment.given, environment.uses_fields)).unwrap_or_default();
        if !uses_fields {
            // Set only once, because the constant is looked up above.
            prototype.constant.get_or_init(|| actual.clone());
        }
        Ok((given, actual))
    }

    /// The first node of a body; the following ones are not shown.
    fn first_node(&mut self) -> Parsed<Option<Arc<Node>>> {
        while self.lexer.peek().is_some() {
            if let Some(node) = self.statement()? {
                return Ok(Some(node));
            }
        }
        Ok(None)
    }

    /// Parses the rest of an `IS`: the value of the named field of the instance being read; `None` for an event.
    pub fn connected(&mut self, field_type: FieldType) -> Parsed<Option<Value>> {
        let at = self.lexer.location();
        let name = self.lexer.word();
        let name = self.source.decode(name);
        let Some(environment) = self.environments.last_mut() else {
            let message = "`IS` has a meaning in the body of a `PROTO` only";
            return Err(Box::new(Problem::new(at, "misplaced-is", message, "write the value itself")));
        };
        let prototype = &environment.prototype;
        let index = prototype.index.get(&*name).copied().unwrap_or(u32::MAX);
        let Some(declaration) = prototype.fields.get(index as usize) else {
            if prototype.events.contains(&*name) {
                return Ok(None);
            }
            let message = format!("`PROTO {}` has no field `{name}`", prototype.name);
            let names = prototype.fields.iter().map(|field| &*field.name);
            let problem = Problem::new(at, "unknown-is", message, "declare it in the brackets of the `PROTO`");
            return Err(Box::new(problem.did_you_mean(&name, names)));
        };
        if declaration.field_type() != field_type {
            let message = format!(
                "the field `{name}` of `PROTO {}` is an `{}`, but an `{}` is needed here",
                prototype.name,
                declaration.field_type().name(),
                field_type.name()
            );
            return Err(Box::new(Problem::new(at, "is-type", message, "declare it with this type")));
        }
        environment.uses_fields = true;
        let value = find_given(&environment.given, index).map_or(&declaration.default, |given| &given.value);
        Ok(Some(value.clone()))
    }

    /// Counts a node created in a body.
    pub fn count_instance_node(&mut self, at: Location) -> Parsed<()> {
        match self.instance_nodes_left.checked_sub(1) {
            Some(left) => self.instance_nodes_left = left,
            None => {
                let limit = instance_node_limit(self.source.bytes().len());
                let message = format!("instances of prototypes make more than {limit} nodes");
                return Err(Box::new(Problem::new(at, "limit-instances", message, FEWER)));
            }
        }
        Ok(())
    }
}

/// Adds a field unless there is one with this name.
fn declare(prototype: &mut Prototype, field: Declaration) -> bool {
    let index = number(prototype.fields.len());
    let new = !prototype.index.contains_key(&field.name);
    if new {
        prototype.index.insert(Arc::clone(&field.name), index);
        prototype.fields.push(field);
    }
    new
}
