export type LoadedImage = { url: string; element: HTMLImageElement };

const SIDE_PX = 256;
/** 0.1 MB (protocol, client §14.3), in characters of the `data:` URL. */
const LARGEST_URL = 100_000;

/** @throws Error if the browser cannot read the file as an image */
export async function loadImage(file: File): Promise<LoadedImage> {
  const noImage = 'Your browser cannot read this file as an image.';
  if (!file.type.startsWith('image/')) throw new Error(noImage);
  const url = await readAsUrl(file);
  const element = new Image();
  element.src = url;
  try {
    await element.decode();
  } catch (cause) {
    throw new Error(noImage, { cause });
  }
  return { url, element };
}

/** Crops the center square at this zoom to the `data:` URL of a JPEG. @throws Error without canvas support */
export function toJpeg({ element }: LoadedImage, zoom: number): string {
  const canvas = document.createElement('canvas');
  canvas.width = SIDE_PX;
  canvas.height = SIDE_PX;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('Your browser cannot resize the image.');
  const { naturalWidth: width, naturalHeight: height } = element;
  const side = Math.min(width, height) / zoom;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, SIDE_PX, SIDE_PX);
  context.drawImage(element, (width - side) / 2, (height - side) / 2, side, side, 0, 0, SIDE_PX, SIDE_PX);
  for (let quality = 0.9; ; quality -= 0.15) {
    const url = canvas.toDataURL('image/jpeg', quality);
    if (url.length <= LARGEST_URL || quality < 0.2) return url;
  }
}

function readAsUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
