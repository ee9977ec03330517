use super::block;
use super::layout::line_at;

/// Reads a block scalar as we write it, whose lines are indented by `indent`;
/// gives the text and what follows.
pub(super) fn read(source: &str, indent: usize) -> Option<(String, &str)> {
    let header = source.split('\n').next()?;
    let folded = header.starts_with('>');
    let chomping = header.trim_start_matches(['|', '>', '1', '2']);
    let body = &source[header.len()..];
    let margin = if indent == 0 { root_margin(header, body) } else { indent };
    let mut lines = Vec::new();
    let mut rest = body;
    // An empty line belongs to the text, which only ends with the next entry.
    while let Some(next) = line_at(rest, margin).or_else(|| empty_line(rest)) {
        let end = next.find('\n').unwrap_or(next.len());
        lines.push(&next[..end]);
        rest = &next[end..];
    }
    let end = if chomping == "-" { "" } else { "\n" };
    if !folded {
        return Some((lines.join("\n") + end, rest));
    }
    let written = &source[..source.len() - rest.len()];
    let is_source = |text: &String| {
        let mut out = String::with_capacity(written.len());
        block::write(&mut out, text, indent);
        out == written
    };
    let text = readings(&lines).map(|text| text + end).find(is_source)?;
    Some((text, rest))
}

fn root_margin(header: &str, body: &str) -> usize {
    let guarded =
        body.split('\n').find(|line| !line.is_empty()).is_some_and(|line| line.starts_with("  "));
    if guarded && !header.contains('1') { 2 } else { 0 }
}

fn empty_line(rest: &str) -> Option<&str> {
    rest.strip_prefix('\n').filter(|line| line.starts_with('\n') || line.is_empty())
}

/// What folded lines may mean: first what YAML says, then what our folding makes
/// of an indented first line (that it is broken like any other), then of a text
/// that was moved away from a far margin (that it begins with an empty line).
fn readings<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = String> + 'a {
    let moved = lines.first().is_some_and(|line| line.is_empty());
    let lists = [Some(lines), moved.then(|| &lines[1..])];
    lists.into_iter().flatten().flat_map(|lines| {
        let first = Body::of(lines);
        let joints = first.joints();
        (0..=joints).map(move |joined| first.unfold(joined))
    })
}

/// Lines of a folded scalar: blank ones, some with words, blank ones.
#[derive(Clone, Copy)]
struct Body<'a> {
    lines: &'a [&'a str],
    /// Of the first line with a word.
    from: usize,
    /// Of the last one.
    to: usize,
}

impl<'a> Body<'a> {
    fn of(lines: &'a [&'a str]) -> Body<'a> {
        let from = lines.iter().position(|line| !line.trim_start_matches(' ').is_empty());
        let to = lines.iter().rposition(|line| !block::is_blank(line));
        let from = from.unwrap_or(0);
        Body { lines, from, to: to.unwrap_or(from).max(from) }
    }

    /// How many lines may continue an indented first line.
    fn joints(&self) -> usize {
        let Some(words) = self.lines.get(self.from..=self.to) else { return 0 };
        if !words.first().is_some_and(|line| block::is_indented(line)) {
            return 0;
        }
        words[1..].iter().take_while(|line| !line.is_empty() && !block::is_indented(line)).count()
    }

    /// The text, where `joined` lines continue the first one.
    fn unfold(&self, joined: usize) -> String {
        let mut text = String::new();
        // The line of the text so far, in the text; and how many line feeds follow it.
        let mut start = 0;
        let mut feeds = 0;
        for (i, line) in self.lines.iter().enumerate() {
            if i > 0 {
                feeds += 1;
            }
            let inside = self.from < i && i <= self.to;
            if inside && line.is_empty() {
                continue;
            }
            let continues = inside && i <= self.from + joined;
            let extra = inside && block::needs_another(&text[start..], &self.lines[i..=self.to]);
            if continues || (extra && feeds == 1) {
                text.push(' ');
            } else {
                text.extend(std::iter::repeat_n('\n', feeds - usize::from(extra)));
                start = text.len();
            }
            feeds = 0;
            text.push_str(line);
        }
        text
    }
}
