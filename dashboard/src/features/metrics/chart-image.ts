import { t } from '@lingui/core/macro';

const styles = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity'];
const textStyles = ['font-family', 'font-size', 'font-weight', 'text-anchor'];
const scale = 2;

/** The chart as a separate file, with the styles and the background of the page. */
export function svgOf(chart: SVGSVGElement): string {
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll('*');
  for (const [nth, element] of [...chart.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(element);
    const names = element instanceof SVGTextElement ? [...styles, ...textStyles] : styles;
    for (const name of names) {
      const value = style.getPropertyValue(name);
      // The browser gives the absolute address of a pattern.
      if (value) copies[nth]?.setAttribute(name, value.replace(/url\("[^"#]*#([^"]+)"\)/, 'url(#$1)'));
    }
    copies[nth]?.removeAttribute('style');
    copies[nth]?.removeAttribute('class');
  }
  const { width, height } = chart.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.removeAttribute('style');
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', getComputedStyle(chart).getPropertyValue('--gb-surface') || 'white');
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

/** The same as an image of twice its size on the page. */
export async function pngOf(chart: SVGSVGElement): Promise<Blob> {
  const { width, height } = chart.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgOf(chart))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(t`The image could not be drawn.`))), 'image/png'),
  );
}
