// The part of the DOM that the tool uses, and the test for content that a reader does not see.

export interface DomNode {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: Iterable<DomNode>
}

export interface DomElement extends DomNode {
  getAttribute(name: string): string | null
  querySelector(selector: string): DomElement | null
}

const ELEMENT = 1
const TEXT = 3
const SKIPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG IFRAME OBJECT HEAD TITLE CANVAS AUDIO VIDEO DIALOG'.split(' '),
)
const INVISIBLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*(?:0(?:\.0*)?|\.0+)(?![.\d]))/i

export const isElement = (node: DomNode): node is DomElement => node.nodeType === ELEMENT

export const isText = (node: DomNode): boolean => node.nodeType === TEXT

// Hidden text is where an attacker puts instructions to a model.
export const isSkipped = (node: DomElement) =>
  SKIPPED.has(node.nodeName.toUpperCase()) ||
  node.getAttribute('hidden') !== null ||
  INVISIBLE.test(node.getAttribute('style') ?? '')

/** The text with its spacing, as in a program. */
export function codeOf(nodes: Iterable<DomNode>): string {
  let code = ''
  for (const node of nodes) {
    if (isText(node)) code += node.textContent ?? ''
    else if (isElement(node) && !isSkipped(node)) {
      code += node.nodeName.toUpperCase() === 'BR' ? '\n' : codeOf(node.childNodes)
    }
  }
  return code
}
