//! Figures as SVG, in the colours of the reader's system. Places are pixels, from the upper left.

use std::{fmt::Write as _, fs, io, path::Path};

const STYLE: &str = "\
svg { --ground: #fbfaf7; --ink: #22282e; --dim: #6a737c; --faint: #d3d8dc; --x: #c2372c; --y: #2f7d24; --z: #245fc4;
      --one: #b8690b; --two: #15736b; --three: #7a3f9d; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #12171c; --ink: #e6e2d8; --dim: #949ca5; --faint: #333d47; --x: #ff8077; --y: #86cf78; --z: #7fb0ff;
        --one: #f0b35a; --two: #5cc7bb; --three: #c79be3; }
}
.ground { fill: var(--ground); stroke: var(--faint); }
path { fill: none; stroke: var(--ink); stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
circle { fill: var(--ink); }
text { fill: var(--ink); font: 14px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif; }
.title { font-size: 17px; font-weight: 600; } text.dim { fill: var(--dim); } path.dim { stroke: var(--dim); } .code { font: 13px ui-monospace, 'DejaVu Sans Mono', monospace; }
.middle { text-anchor: middle; } .end { text-anchor: end; }
path.thin { stroke: var(--faint); stroke-width: 1; } path.dashed { stroke: var(--dim); stroke-width: 1; stroke-dasharray: 3 4; }
path.x { stroke: var(--x); } path.y { stroke: var(--y); } path.z { stroke: var(--z); }
path.one { stroke: var(--one); } path.two { stroke: var(--two); } path.three { stroke: var(--three); }
path.thick { stroke-width: 3; } path.arrow { marker-end: url(#tip); } path.solid { fill-opacity: .22; }
path.solid.one { fill: var(--one); } path.solid.two { fill: var(--two); } path.solid.three { fill: var(--three); } path.solid.thin { fill: var(--faint); }
circle.z { fill: var(--z); } circle.one, text.one { fill: var(--one); } circle.two, text.two { fill: var(--two); } circle.three, text.three { fill: var(--three); }
text.x { fill: var(--x); } text.y { fill: var(--y); } text.z { fill: var(--z); }
marker path { fill: context-stroke; stroke: none; }
";

pub struct Figure {
    title: String,
    width: u32,
    height: u32,
    body: String,
}

impl Figure {
    pub fn new(title: &str, width: u32, height: u32) -> Self {
        let mut figure = Self { title: title.into(), width, height, body: String::new() };
        figure.text([24.0, 36.0], "title", title);
        figure
    }

    /// A line through these places; closed, if it ends where it began. `class` names colours and
    /// the like of the style.
    pub fn shape(&mut self, places: &[[f32; 2]], class: &str) {
        let mut line = String::new();
        for (i, place) in places.iter().enumerate() {
            let step = if i == 0 { 'M' } else { 'L' };
            let _ = write!(line, "{step}{} {}", tenths(place[0]), tenths(place[1]));
        }
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{line}\"/>");
    }

    pub fn dot(&mut self, [x, y]: [f32; 2], radius: f32, class: &str) {
        let _ = writeln!(
            self.body,
            "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{radius}\"/>",
            tenths(x),
            tenths(y)
        );
    }

    pub fn text(&mut self, [x, y]: [f32; 2], class: &str, text: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\">{text}</text>",
            tenths(x),
            tenths(y)
        );
    }

    /// Writes it if the command line asks for it: `--svg PATH`.
    pub fn write_if_asked(&self) -> io::Result<()> {
        let path = std::env::args_os().skip_while(|argument| argument != "--svg").nth(1);
        path.map_or(Ok(()), |path| self.write(path))
    }

    pub fn write(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let Self { title, width, height, body } = self;
        let title = escape(title);
        let tip = "<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" \
                   markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 \
                   8z\"/></marker>";
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n<defs>{tip}</defs>\n\
             <rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" \
             rx=\"10\"/>\n{body}</svg>\n",
            width - 1,
            height - 1
        );
        fs::write(path, text)
    }
}

/// Rounded so that every machine writes the same, without the sign of a zero.
fn tenths(x: f32) -> f32 {
    (x * 10.0).round() / 10.0 + 0.0
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
