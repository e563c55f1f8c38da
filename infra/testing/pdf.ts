import { inflateSync } from 'node:zlib';

/** The colors that a PDF of Chromium fills areas and texts with, as `r g b` from 0 to 1, and their number of uses. */
export function fillColorsOf(pdf: Buffer): ReadonlyMap<string, number> {
  const colors = new Map<string, number>();
  for (const part of pdf.toString('latin1').matchAll(/FlateDecode[^>]*>>\s*stream\r?\n(.*?)\r?\nendstream/gs)) {
    const content = inflate(Buffer.from(part[1] ?? '', 'latin1'));
    for (const [, color = ''] of content.matchAll(/([\d.]+ [\d.]+ [\d.]+) rg\b/g)) {
      colors.set(color, (colors.get(color) ?? 0) + 1);
    }
  }
  return colors;
}

/** Fonts and images are compressed too, so not every stream is text. */
function inflate(stream: Buffer): string {
  try {
    return inflateSync(stream).toString('latin1');
  } catch {
    return '';
  }
}
