import { Lexer, Marked, Parser, Renderer, marked } from "marked";

const TEXT = `# Title with *emphasis*

A paragraph with **bold**, _italics_, ~~gone~~, \`code\`, [a link](http://x.y "title"),
![image](a.png), <b>html</b>, https://auto.link and \\*escaped\\*.  
A hard break.

> A quote
> > nested

1. one
2. two
   - nested
   - [x] done
   - [ ] open

| a | b |
|:--|--:|
| 1 | \`x\\|y\` |

\`\`\`js
const x = "<&>";
\`\`\`

    indented

***

[ref]: http://ref "r"
[ref] &amp; &copy; <http://angle>

Setext
------
<div>
block
</div>
`;

export default {
  "everything in one text"(print) {
    print(marked.parse(TEXT));
    print(marked.parse(TEXT, { gfm: false }), marked.parse("a\nb", { breaks: true }), marked.parseInline("*a* `b`"), marked.parse(""));
    print(marked.parse("1. a\n\n   b\n2. c\n\n* x\n+ y\n\n- [ ]\n"), marked.parse("`` ` `` <script>alert(1)</script>\n\nÜnïcödé 🎉 a_b_c __d__"));
  },
  "tokens"(print) {
    const tokens = marked.lexer(TEXT);
    print(tokens.map(({ type, depth, lang, raw }) => [type, depth ?? null, lang ?? null, raw.length]));
    const types = new Map();
    marked.walkTokens(tokens, ({ type }) => types.set(type, (types.get(type) ?? 0) + 1));
    print(types, tokens.links);
    print(Parser.parse(Lexer.lex("*x*")), new Lexer().inlineTokens("a **b**").map(({ type }) => type));
  },
  async "own renderers, extensions and hooks"(print) {
    const own = new Marked({
      renderer: {
        heading({ tokens, depth }) { return `<h${depth} id="${this.parser.parseInline(tokens, this.parser.textRenderer).toLowerCase().replace(/\W+/g, "-")}">${this.parser.parseInline(tokens)}</h${depth}>\n` },
        link: ({ href }) => (href.startsWith("http") ? `[${href}]` : false),
      },
      extensions: [{
        name: "mention", level: "inline", start: (text) => text.match(/@/)?.index,
        tokenizer(text) { const match = /^@(\w+)/.exec(text); return match ? { type: "mention", raw: match[0], who: match[1] } : undefined },
        renderer: ({ who }) => `<at>${who}</at>`,
      }],
      hooks: { preprocess: (text) => text.replaceAll("TODO", "DONE"), postprocess: (text) => `${text}<!-- end -->` },
      walkTokens: (token) => { if (token.type === "code") token.lang = "changed" },
    });
    print(own.parse("# Hello *you*\n\n@ada TODO [x](http://y) [z](rel)\n\n```js\n1\n```"));
    const later = new Marked({ async: true, walkTokens: async (token) => { if (token.type === "text") { await null; token.text = token.text.toUpperCase() } } });
    print(await later.parse("some *words*"));
    try { own.parse(5) } catch (error) { print(error.message) }
    print(new Marked({ silent: true }).parse(null), new Renderer().hr({}), own.parse("a", { pedantic: true }));
  },
};
