// The elements and attributes that Markdown of a contract may show. Its author may be hostile: `<meta http-equiv=refresh>` leads a reader away, a
// style covers the page with another one, a form asks for a password.
//
// The list is applied to the tree that Redoc itself has parsed, in the reader's browser and where Redoc renders in advance. A parser before it would
// see other elements than Redoc, which reads Markdown as Markdoc: `{% html name="meta" %}` is an element, and a line indented by four spaces may
// finish a block of code.

/** A node of Markdoc's tree, as Redoc passes it on. */
export interface MarkdownNode {
  readonly type: string;
  /** Of the type `tag`: `html` for an element of HTML, with its `name` and `attrs` as attributes. */
  readonly tag?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: readonly MarkdownNode[];
}

export interface AllowedMarkdown {
  readonly elements: readonly string[];
  /** Elements that are removed with their content. Of all other elements that are not allowed, the content stays. */
  readonly silent: readonly string[];
  /** Allowed attributes, in React's spelling. */
  readonly attributes: readonly string[];
  /** Allowed schemes of links. An address without a scheme stays too. */
  readonly schemes: readonly string[];
  /** Start of the address of a picture within the page. */
  readonly pictures: string;
  /** Tags of Markdoc in addition to `html`: Redoc's own. */
  readonly tags: readonly string[];
}

const words = (text: string): readonly string[] => text.split(/\s+/);

export const allowedMarkdown: AllowedMarkdown = {
  elements: words(
    `a abbr b blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li
    mark ol p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`,
  ),
  silent: words(
    'script style template title textarea select option iframe object embed noscript noembed noframes svg math audio video canvas',
  ),
  attributes: words(
    'href src alt title lang dir align valign width height colSpan rowSpan scope start type reversed open cite dateTime',
  ),
  schemes: words('http https mailto tel'),
  pictures: 'data:image/',
  tags: ['schemaDefinition'],
};

/**
 * Removes elements and attributes that are not allowed from a tree of Markdown. A picture from elsewhere becomes its alternative text. Runs in the page, so it refers to
 * nothing outside its own body.
 *
 * @param parsed a tree, or the children of one
 */
export function keepAllowed<Parsed extends MarkdownNode | readonly MarkdownNode[]>(
  parsed: Parsed,
  allowed: AllowedMarkdown,
): Parsed {
  // A value that Markdoc computes may be anything.
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  const isIn = (list: readonly string[], name: unknown) => typeof name === 'string' && list.includes(name);
  const isShown = (src: unknown) => typeof src === 'string' && src.toLowerCase().startsWith(allowed.pictures);
  // As a browser reads it, which drops white space and control characters (WHATWG URL, 4.4).
  const schemeOf = (address: string) =>
    /^([a-z][a-z0-9+.-]*):/i.exec([...address].filter((one) => one > ' ').join(''))?.[1]?.toLowerCase();
  const leads = (href: unknown) => isIn([...allowed.schemes, ''], schemeOf(String(href)) ?? '');
  const pick = (attributes: object, isAllowed: (name: string) => boolean) =>
    Object.fromEntries(
      Object.entries(attributes).filter(
        ([name, value]) => isPlain(value) && isAllowed(name) && (name !== 'href' || leads(value)),
      ),
    );
  const writeText = (content: unknown): readonly MarkdownNode[] =>
    typeof content === 'string' && content !== ''
      ? [{ $$mdtype: 'Node', type: 'text', attributes: { content }, children: [] } as MarkdownNode]
      : [];
  const keep = (node: MarkdownNode): readonly MarkdownNode[] => {
    const { type, tag, attributes } = node;
    const { slots: _, ...rest } = node as MarkdownNode & { readonly slots?: unknown };
    if (type === 'image' && !isShown(attributes.src)) return writeText(attributes.alt);
    const name = String(attributes.name).toLowerCase();
    if (tag === 'html' && isIn(allowed.silent, name)) return [];
    const children = node.children.flatMap(keep);
    if (tag === 'html') {
      const attrs = Object(attributes.attrs) as Readonly<Record<string, unknown>>;
      if (name === 'img' && !isShown(attrs.src)) return writeText(attrs.alt);
      if (typeof attributes.name !== 'string' || !isIn(allowed.elements, name)) return children;
      return [{ ...rest, attributes: { name, attrs: pick(attrs, (one) => isIn(allowed.attributes, one)) }, children }];
    }
    if (type === 'tag' && !isIn(allowed.tags, tag)) return children;
    const kept = pick(attributes, (one) => one !== 'class' && one !== 'style');
    // A link around a picture without alternative text shows its address.
    return [
      {
        ...rest,
        attributes: kept,
        children: type === 'link' && children.length === 0 ? writeText(kept.href) : children,
      },
    ];
  };
  // Only an empty document is no list.
  return (Array.isArray(parsed) ? parsed.flatMap(keep) : parsed) as Parsed;
}
