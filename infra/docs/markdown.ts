/** Without fenced blocks and inline code, whose brackets are not links. */
export const withoutCode = (text: string): string =>
  text.replace(/^( *)```[\s\S]*?^\1```/gm, '').replace(/`[^`\n]*`/g, '``');

/** Targets of inline links, images and link definitions, as written. */
export function linksIn(text: string): string[] {
  const plain = withoutCode(text);
  const inline = [...plain.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)];
  const definitions = [...plain.matchAll(/^\[[^\]]+\]: <?(\S+?)>?$/gm)];
  return [...inline, ...definitions].map(([, target = '']) => target);
}

/** Anchors of a page as GitHub makes them: of headings, and those set by hand. */
export function anchorsIn(text: string): Set<string> {
  const headings = text.replace(/^( *)```[\s\S]*?^\1```/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm);
  const byHand = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id);
  const anchors = new Set(byHand);
  const seen = new Map<string, number>();
  for (const [, heading = ''] of headings) {
    const slug = slugOf(heading);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

function slugOf(heading: string): string {
  const text = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Numbers of numbered headings: `8.3` of `### 8.3 GET …`, `A.1` of `### A.1 What …`. */
export function sectionsIn(text: string): Set<string> {
  const numbers = text.matchAll(/^#{2,4} (?:Appendix )?([A-Z0-9]+(?:\.\d+)*)\.? /gm);
  return new Set([...numbers].map(([, number = '']) => number));
}
