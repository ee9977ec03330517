use super::block::{self, Spacing};
use super::fold::{self, WIDTH};
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
    let text = readings(&lines, margin).map(|text| text + end).find(is_source)?;
    Some((text, rest))
}

/// Two where the first line with a word tells, and it is not the text's own.
fn root_margin(header: &str, body: &str) -> usize {
    let first = body.split('\n').find(|line| !line.trim_start_matches(' ').is_empty());
    let guarded = first.is_some_and(|line| line.starts_with("  ")) && !header.contains('1');
    if guarded { 2 } else { 0 }
}

fn empty_line(rest: &str) -> Option<&str> {
    rest.strip_prefix('\n').filter(|line| line.starts_with('\n') || line.is_empty())
}

/// Most readings of one text that are tried.
const MOST_TRIED: usize = 16;

/// What folded lines may mean: first what our folding makes of them, which breaks
/// an indented first line like any other; then what YAML says and what lies
/// between; then the same for text that was moved away from a far margin and so
/// begins with an empty line.
fn readings<'a>(lines: &'a [&'a str], margin: usize) -> impl Iterator<Item = String> + 'a {
    let moved = lines.first().is_some_and(|line| line.is_empty());
    let lists = [Some(lines), moved.then(|| &lines[1..])];
    lists.into_iter().flatten().flat_map(move |lines| {
        let body = Body::of(lines);
        let joints = body.joints(margin);
        // At a far margin any first line is full, and one such line tells nothing.
        let far = WIDTH < margin + fold::room(margin);
        let likely = if far && joints == 1 { 0 } else { joints };
        let joined = std::iter::once(likely).chain(0..=joints).take(MOST_TRIED);
        joined.map(move |joined| body.unfold(joined))
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

    /// How many lines continue an indented first line: those that follow it while
    /// each line is as full as folding leaves it. A text with line feeds at just
    /// these places would look the same, and is the less likely one.
    fn joints(&self, margin: usize) -> usize {
        let words = self.lines.get(self.from..=self.to).unwrap_or_default();
        if !words.first().is_some_and(|line| block::is_indented(line)) {
            return 0;
        }
        let continues = |(i, pair): &(usize, &[&str])| {
            let (line, next) = (pair[0], pair[1]);
            let room = if *i == 0 { WIDTH.saturating_sub(margin) } else { fold::room(margin) };
            let full = !line.ends_with([' ', '\t']) && !fold::fits(line, next, room);
            full && !next.is_empty() && !block::is_indented(next)
        };
        words.windows(2).enumerate().take_while(continues).count()
    }

    /// The text, where `joined` lines continue the first one.
    fn unfold(&self, joined: usize) -> String {
        let mut text = String::new();
        let mut spacing = Spacing::of(&self.lines[..self.lines.len().min(self.to + 1)]);
        let mut feeds = 0;
        for (i, line) in self.lines.iter().enumerate() {
            feeds += usize::from(i > 0);
            let inside = self.from < i && i <= self.to;
            if inside && line.is_empty() {
                continue;
            }
            let extra = inside && spacing.needs_another(i);
            if inside && (i <= self.from + joined || (extra && feeds == 1)) {
                text.push(' ');
                spacing.extend(line);
            } else {
                text.extend(std::iter::repeat_n('\n', feeds - usize::from(extra)));
                spacing.begin(line);
            }
            feeds = 0;
            text.push_str(line);
        }
        text
    }
}
