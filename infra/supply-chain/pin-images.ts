import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { imagesIn, parseImage, resolveDigest, unpinnedIn, withDigests } from './images.ts';

/**
 * `npm run images:pin`: adds the current digest to the tag of each third-party container image. `-- --check` changes
 * nothing and fails for images without a digest.
 */
const files = ['docker-compose.yml', 'infra/docker/Dockerfile'];
const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const texts = new Map(files.map((file) => [file, readFileSync(pathOf(file), 'utf8')]));

if (process.argv.includes('--check')) {
  for (const [file, text] of texts) {
    for (const image of unpinnedIn(text)) {
      process.exitCode = 1;
      process.stdout.write(`${file}: ${image} has no digest\n`);
    }
  }
} else {
  const digests = new Map<string, string>();
  for (const image of new Set([...texts.values()].flatMap(imagesIn))) {
    try {
      digests.set(image, await resolveDigest(parseImage(image)));
      process.stdout.write(`${image}@${digests.get(image)}\n`);
    } catch (error) {
      process.exitCode = 1;
      process.stdout.write(`${image}: not pinned, ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  for (const [file, text] of texts) writeFileSync(pathOf(file), withDigests(text, digests));
}
