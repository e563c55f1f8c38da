import type { CDPSession, Page } from 'playwright-core';

const controls: ReadonlySet<unknown> = new Set([
  ...['button', 'link', 'textbox', 'searchbox', 'checkbox', 'switch', 'radio', 'combobox', 'menuitem', 'slider'],
  ...['progressbar', 'dialog'],
]);

/** Problems of a page in the light color scheme: its width, accessibility, and contrast in both color schemes. */
export async function findPageFaults(page: Page): Promise<string[]> {
  const overflow = await findOverflow(page);
  return [
    ...(overflow === 0 ? [] : [`${overflow} px wider than the window`]),
    ...(await findAccessFaults(page)),
    ...(await findLowContrast(page)).map((fault) => `contrast of ${fault}`),
    ...(await findLowContrastInDark(page)).map((fault) => `contrast in dark mode of ${fault}`),
  ];
}

/** Accessibility problems of a page, as messages. */
export async function findAccessFaults(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const nameless: string[] = [];
  for (const { ignored, role, name, backendDOMNodeId } of nodes) {
    if (ignored || !controls.has(role?.value) || String(name?.value ?? '').trim() !== '') continue;
    nameless.push(`a ${role?.value} without a name: ${await markupOf(session, backendDOMNodeId)}`);
  }
  await session.detach();
  const structure = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    return {
      headings: document.querySelectorAll('h1').length,
      mains: document.querySelectorAll('main').length,
      language: document.documentElement.lang,
      title: document.title,
      doubleIds: ids.filter((id, index) => ids.indexOf(id) !== index),
    };
  });
  return [
    ...nameless,
    ...(structure.headings === 1 ? [] : [`${structure.headings} headings of the first level`]),
    ...(structure.mains === 1 ? [] : [`${structure.mains} main landmarks`]),
    ...(structure.language ? [] : ['no language']),
    ...(structure.title.endsWith('Gatebook') ? [] : [`the title "${structure.title}"`]),
    ...structure.doubleIds.map((id) => `the id ${id} twice`),
  ];
}

/** The start of an element's HTML, to identify it. */
async function markupOf(session: CDPSession, backendNodeId: number | undefined): Promise<string> {
  if (backendNodeId === undefined) return '';
  const { object } = await session.send('DOM.resolveNode', { backendNodeId });
  const { result } = await session.send('Runtime.callFunctionOn', {
    objectId: object.objectId ?? '',
    functionDeclaration: 'function () { return this.parentElement?.outerHTML.slice(0, 300); }',
  });
  return String(result.value);
}

/** Pixels by which the page is wider than its window. */
export function findOverflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
}

/**
 * Texts that are cut off without an ellipsis, leave the box that they are in, or overlap another text of the same
 * layer, as `text: fault`.
 */
export function findMisplacedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const tolerance = 2;
    type Box = { top: number; right: number; bottom: number; left: number };
    const styles = new Map<Element, CSSStyleDeclaration>();
    const styleOf = (element: Element) => {
      const style = styles.get(element) ?? getComputedStyle(element);
      styles.set(element, style);
      return style;
    };
    const isColor = (color: string) => color !== 'transparent' && !/^rgba\(.*, 0\)$/.test(color);
    const isSeen = ({ borderLeftWidth, borderLeftColor, backgroundColor }: CSSStyleDeclaration) =>
      (borderLeftWidth !== '0px' && isColor(borderLeftColor)) || isColor(backgroundColor);
    const common = (one: Box, other: Box): Box => ({
      top: Math.max(one.top, other.top),
      right: Math.min(one.right, other.right),
      bottom: Math.min(one.bottom, other.bottom),
      left: Math.max(one.left, other.left),
    });
    const isEmpty = ({ top, right, bottom, left }: Box) => right - left <= tolerance || bottom - top <= tolerance;

    /** The part of a line that its surroundings show, and what is wrong with it. */
    const place = (line: Box, parent: Element) => {
      let [shown, fault, layer] = [line, '', parent];
      for (let around: Element | null = parent; around && around !== document.body; around = around.parentElement) {
        const style = styleOf(around);
        layer = around;
        if (style.display !== 'inline' && style.display !== 'contents') {
          const room = around.getBoundingClientRect();
          const isTooWide = shown.right > room.right + tolerance || shown.left < room.left - tolerance;
          const isTooHigh = shown.bottom > room.bottom + tolerance || shown.top < room.top - tolerance;
          if (style.overflowX === 'visible') {
            if ((isTooWide || isTooHigh) && isSeen(style)) fault ||= 'leaves its box';
          } else {
            if (isTooWide && /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis')
              fault ||= 'is cut off';
            shown = common(shown, room);
          }
        }
        if (/absolute|fixed|sticky/.test(style.position)) break;
      }
      return { shown, fault, layer };
    };

    const faults = new Set<string>();
    const lines: { node: Node; text: string; layer: Element; box: Box }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      const text = node.textContent?.trim() ?? '';
      if (!parent || text === '' || parent.closest('script, style, option, svg')) continue;
      if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const { top, right, bottom, left } of range.getClientRects()) {
        // Letters take the middle of a line.
        const inset = (bottom - top) / 4;
        const { shown, fault, layer } = place({ top: top + inset, right, bottom: bottom - inset, left }, parent);
        // Texts for screen readers only have no room.
        if (isEmpty(shown)) continue;
        if (fault) faults.add(`${text}: ${fault}`);
        lines.push({ node, text, layer, box: shown });
      }
    }
    lines.sort((one, other) => one.box.top - other.box.top);
    for (const [index, { node, text, layer, box }] of lines.entries()) {
      for (const other of lines.slice(index + 1)) {
        if (other.box.top >= box.bottom) break;
        // A line with an ellipsis is there twice.
        if (other.node === node || other.layer !== layer) continue;
        if (!isEmpty(common(box, other.box))) faults.add(`${text}: overlaps ${other.text}`);
      }
    }
    return [...faults];
  });
}

/** Texts whose contrast with their background is below WCAG AA, as `ratio: text`. Only supports plain backgrounds. */
function findLowContrast(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (!context) return ['no canvas to read colors with'];
    type Rgba = readonly [number, number, number, number];
    /** Elements share colors and ancestors, and reading a pixel takes long, so each is computed once. */
    const computeOnce = <Key, Value>(compute: (key: Key) => Value) => {
      const known = new Map<Key, Value>();
      return (key: Key): Value => {
        const found = known.get(key) ?? compute(key);
        known.set(key, found);
        return found;
      };
    };
    const toRgba = computeOnce((color: string): Rgba => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const [r = 0, g = 0, b = 0, a = 0] = context.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    });
    const over = (top: string, [r, g, b]: readonly number[]): number[] => {
      const [tr, tg, tb, a] = toRgba(top);
      return [tr * a + (r ?? 0) * (1 - a), tg * a + (g ?? 0) * (1 - a), tb * a + (b ?? 0) * (1 - a)];
    };
    const groundOf: (element: Element | null) => number[] = computeOnce((element) =>
      element ? over(getComputedStyle(element).backgroundColor, groundOf(element.parentElement)) : [255, 255, 255],
    );
    const brightness = (rgb: readonly number[]): number => {
      const [r = 0, g = 0, b = 0] = rgb.map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const faults: string[] = [];
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent?.trim() ?? '';
      const element = walker.currentNode.parentElement;
      if (
        !element ||
        text === '' ||
        element.closest('[aria-hidden="true"], :disabled, [data-disabled], script, style, svg')
      )
        continue;
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const style = getComputedStyle(element);
      const ground = groundOf(element);
      const [light = 0, dark = 0] = [brightness(ground), brightness(over(style.color, ground))].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05);
      const size = Number.parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (isLarge ? 3 : 4.5)) faults.push(`${ratio.toFixed(2)}: ${text}`);
    }
    return faults;
  });
}

/** Checks a light page in the dark color scheme, then restores the light one. */
async function findLowContrastInDark(page: Page): Promise<string[]> {
  await turn(page, 'dark');
  const found = await findLowContrast(page);
  await turn(page, 'light');
  return found;
}

/** Resolves when all color transitions have finished. */
async function turn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate(() =>
    Promise.all(
      document.getAnimations().map((change) => change instanceof CSSTransition && change.finished.catch(() => 0)),
    ),
  );
}
