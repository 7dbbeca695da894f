//! What rustdoc's JSON says is public, as text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde_json::Value;

/// Public items by path, each with the lines below it.
pub struct Listing {
    items: BTreeMap<String, Item>,
    /// Implementations for types of other crates.
    others: BTreeSet<String>,
}

/// A type, trait, function or macro.
struct Item {
    kind: &'static str,
    marks: Vec<&'static str>,
    lines: Vec<String>,
}

/// The kinds that are items of their own.
const KINDS: [&str; 8] =
    ["struct", "enum", "union", "trait", "function", "macro", "constant", "type_alias"];

/// Legion's trait of worlds of any type, and the mark of functions that take one.
const STORE: &str = "EntityStore\"";
const READS: &str = ", reads a world";

impl Listing {
    pub fn of(json: &Value) -> Self {
        let crate_ = Crate(json);
        let mut listing = Self { items: BTreeMap::new(), others: BTreeSet::new() };
        // By id: the paths by which the item is reached.
        let mut paths = BTreeMap::<String, Vec<String>>::new();
        crate_.walk(crate_.get(&json["root"]), "", &mut paths);
        let mut names = BTreeSet::new();
        for (id, mut paths) in paths {
            let item = &json["index"][&id];
            // The module has it: neither the prelude nor, for short, the root of the crate.
            paths.sort_by_key(|path| (path.starts_with("prelude::"), !path.contains("::")));
            names.insert(paths[0].rsplit("::").next().unwrap_or_default().to_owned());
            let mut marks = vec![];
            if paths.iter().any(|path| path.starts_with("prelude::")) {
                marks.push("in the prelude");
            }
            if item["attrs"].to_string().contains("non_exhaustive") {
                marks.push("non_exhaustive");
            }
            let (kind, lines) = crate_.item(item);
            listing.items.insert(paths[0].clone(), Item { kind, marks, lines });
        }
        let foreign = crate_.foreign_implementations();
        listing.others.extend(foreign.into_iter().filter(|line| {
            let words = line.split(|letter: char| !letter.is_alphanumeric());
            words.into_iter().any(|word| names.contains(word))
        }));
        listing
    }

    /// How many functions and methods there are. A verb that `EditTransforms` and `Edits` have is
    /// one.
    fn callables(&self) -> usize {
        let functions = |item: &Item| -> Vec<String> {
            item.lines.iter().filter(|line| line.starts_with("fn ")).cloned().collect()
        };
        let named = |end: &str| {
            let found = self.items.iter().find(|(path, _)| path.ends_with(end));
            found.map_or_else(Vec::new, |(_, item)| functions(item))
        };
        let (verbs, edits) = (named("::EditTransforms"), named("::Edits"));
        let twice = edits.iter().filter(|verb| verbs.contains(verb)).count();
        let free = self.items.values().filter(|item| item.kind == "fn").count();
        free + self.items.values().map(|item| functions(item).len()).sum::<usize>() - twice
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} items, {} callables", self.items.len(), self.callables())?;
        for (path, item) in &self.items {
            let marks: String = item.marks.iter().map(|mark| format!(", {mark}")).collect();
            writeln!(f, "\n{} {path}{marks}", item.kind)?;
            item.lines.iter().try_for_each(|line| writeln!(f, "    {line}"))?;
        }
        writeln!(f)?;
        self.others.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

struct Crate<'a>(&'a Value);

impl<'a> Crate<'a> {
    fn get(&self, id: &Value) -> &'a Value {
        &self.0["index"][id.to_string()]
    }

    fn all(&self, ids: &'a Value) -> impl Iterator<Item = &'a Value> {
        let ids = ids.as_array().map(Vec::as_slice).unwrap_or_default();
        // What is hidden from the documentation is named, and not there.
        ids.iter().map(|id| self.get(id)).filter(|item| !item.is_null())
    }

    /// Finds the items of a module and of those in it, and by which paths.
    fn walk(&self, module: &'a Value, path: &str, paths: &mut BTreeMap<String, Vec<String>>) {
        for item in self.all(&module["inner"]["module"]["items"]) {
            let import = &item["inner"]["use"];
            let (item, name) = if import.is_null() {
                (item, &item["name"])
            } else {
                (self.get(&import["id"]), &import["name"])
            };
            // Modules and items of other crates that are handed on are not in the index.
            if item.is_null() || item["crate_id"] != 0 {
                continue;
            }
            let path = format!("{path}{}", text(name));
            if KINDS.contains(&kind(item)) {
                paths.entry(item["id"].to_string()).or_default().push(path);
            } else if kind(item) == "module" {
                self.walk(item, &format!("{path}::"), paths);
            }
        }
    }

    /// The kind of an item, and the lines below it.
    fn item(&self, item: &'a Value) -> (&'static str, Vec<String>) {
        let inner = &item["inner"][kind(item)];
        match kind(item) {
            "struct" => ("struct", [self.fields(&inner["kind"]), self.members(inner)].concat()),
            "enum" => {
                let variants = self.all(&inner["variants"]).map(|variant| {
                    let fields = self.fields(&variant["inner"]["variant"]["kind"]);
                    let fields: Vec<&str> =
                        fields.iter().map(|field| field.trim_start_matches("pub ")).collect();
                    let fields = fields.join(", ");
                    let open =
                        if fields.is_empty() { String::new() } else { format!(": {fields}") };
                    format!("{}{open}", text(&variant["name"]))
                });
                ("enum", variants.chain(self.members(inner)).collect())
            }
            "trait" => {
                let mut lines = self.functions(&inner["items"], &inner["generics"]);
                let types = self.all(&inner["items"]).filter(|item| kind(item) == "assoc_type");
                lines.extend(types.map(|item| format!("type {}", text(&item["name"]))));
                let implementations = self.all(&inner["implementations"]);
                let types = implementations.map(|it| self.type_(&it["inner"]["impl"]["for"]));
                let types: BTreeSet<String> = types.collect();
                lines.extend(joined("for", types));
                ("trait", lines)
            }
            "function" => ("fn", vec![]),
            "macro" => ("macro", vec![]),
            other => panic!("say how a {other} is listed"),
        }
    }

    /// The public fields of a struct or variant.
    fn fields(&self, kind: &'a Value) -> Vec<String> {
        let tuple = self.all(&kind["tuple"]).filter(|field| !field.is_null());
        let named = kind.get("struct").or(kind.get("plain")).unwrap_or(&Value::Null);
        let all = tuple.chain(self.all(&named["fields"]));
        all.map(|field| format!("pub {}", text(&field["name"]))).collect()
    }

    /// The constants and functions among these items, which stand together with these generics.
    fn functions(&self, ids: &'a Value, generics: &Value) -> Vec<String> {
        let named = self.all(ids).filter_map(|item| match kind(item) {
            "assoc_const" => Some(format!("const {}", text(&item["name"]))),
            "function" => {
                let own = &item["inner"]["function"]["generics"];
                // `World`, or the `SubWorld` of a system.
                let of_any = [own, generics].iter().any(|it| it.to_string().contains(STORE));
                let mark = if of_any { READS } else { "" };
                Some(format!("fn {}{mark}", text(&item["name"])))
            }
            _ => None,
        });
        let mut names: Vec<String> = named.collect();
        names.sort();
        names
    }

    /// The methods of a type, and the traits that the crate implements for it.
    fn members(&self, inner: &'a Value) -> Vec<String> {
        let (mut functions, mut traits) = (BTreeSet::new(), BTreeSet::new());
        for implementation in self.all(&inner["impls"]) {
            let of = &implementation["inner"]["impl"];
            if !of["blanket_impl"].is_null() || of["is_synthetic"] == true {
                continue;
            }
            if of["trait"].is_null() {
                functions.extend(self.functions(&of["items"], &of["generics"]));
            } else {
                traits.insert(self.type_of_path(&of["trait"]));
            }
        }
        // What `derive(PartialEq)` adds on its own.
        traits.remove("StructuralPartialEq");
        let mut lines = Vec::from_iter(functions);
        lines.extend(joined("impl", traits));
        lines
    }

    /// What the crate implements for types of other crates.
    fn foreign_implementations(&self) -> Vec<String> {
        let all = self.0["index"].as_object().expect("an index").values();
        let of = all.map(|item| &item["inner"]["impl"]).filter(|of| {
            let is_ours = |path: &Value| self.0["paths"][path["id"].to_string()]["crate_id"] == 0;
            !of.is_null()
                && of["blanket_impl"].is_null()
                && !of["trait"].is_null()
                && !is_ours(&of["trait"])
                && !is_ours(&of["for"]["resolved_path"])
        });
        of.map(|of| {
            format!("impl {} for {}", self.type_of_path(&of["trait"]), self.type_(&of["for"]))
        })
        .collect()
    }

    fn type_(&self, of: &Value) -> String {
        let Some((kind, inner)) = of.as_object().and_then(|of| of.iter().next()) else {
            return of.as_str().unwrap_or("_").to_owned();
        };
        match kind.as_str() {
            "resolved_path" => self.type_of_path(inner),
            "primitive" | "generic" => text(inner).to_owned(),
            "borrowed_ref" => format!("&{}", self.type_(&inner["type"])),
            "array" => format!("[{}; {}]", self.type_(&inner["type"]), text(&inner["len"])),
            "slice" => format!("[{}]", self.type_(inner)),
            "tuple" => {
                let parts = inner.as_array().into_iter().flatten();
                format!("({})", parts.map(|part| self.type_(part)).collect::<Vec<_>>().join(", "))
            }
            _ => "_".to_owned(),
        }
    }

    /// The last name of a path, with its arguments.
    fn type_of_path(&self, path: &Value) -> String {
        let name = text(&path["path"]).rsplit("::").next().unwrap_or_default();
        let arguments = path["args"]["angle_bracketed"]["args"].as_array();
        let arguments = arguments.into_iter().flatten().filter_map(|argument| {
            Some(match argument.get("type") {
                Some(of) => self.type_(of),
                None => text(argument.get("const")?.get("expr")?).to_owned(),
            })
        });
        let arguments: Vec<String> = arguments.collect();
        if arguments.is_empty() {
            name.to_owned()
        } else {
            format!("{name}<{}>", arguments.join(", "))
        }
    }
}

/// What an item is: the one key of its inside.
fn kind(item: &Value) -> &str {
    item["inner"].as_object().and_then(|inner| inner.keys().next()).map_or("", String::as_str)
}

/// Names behind a word, with a new line where one would be too long.
fn joined(word: &str, names: BTreeSet<String>) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for name in names {
        match lines.last_mut() {
            Some(line) if line.len() + name.len() < 94 => *line += &format!(", {name}"),
            _ => lines.push(format!("{word} {name}")),
        }
    }
    lines
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
