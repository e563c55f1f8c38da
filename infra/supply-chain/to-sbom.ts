import { z } from 'zod';

/** The fields of CycloneDX 1.5 that are used here; the others are copied. */
const Component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string(), purl: z.string() });
const Sbom = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.string(),
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
export const Lock = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

/**
 * Reduces the output of npm to production dependencies. `--omit=dev` of npm 11.19 also omits packages that a
 * development dependency shares with production, so the lock file decides. npm names the product after its folder,
 * which is corrected.
 * @throws Error when a production package is missing or has no hash or license
 */
export function toSbom(made: string, lock: string): { sbom: string; components: number } {
  const sbom = Sbom.parse(JSON.parse(made));
  const needed = productionPackages(lock);
  const components = sbom.components.filter(({ purl }) => isOurs(purl) || needed.has(purl));
  const there = new Set(components.map(({ purl }) => purl));
  const missing = [...needed].filter((purl) => !there.has(purl));
  if (missing.length > 0) throw new Error(`npm left out: ${missing.join(', ')}`);
  const incomplete = components.filter(
    ({ purl, hashes, licenses }) => !isOurs(purl) && (!isFilled(hashes) || !isFilled(licenses)),
  );
  if (incomplete.length > 0)
    throw new Error(`without hash or license: ${incomplete.map(({ purl }) => purl).join(', ')}`);
  const { component } = sbom.metadata;
  const refs = new Set([component, ...components].map((one) => one['bom-ref']));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ dependsOn, ...of }) => ({ ...of, dependsOn: dependsOn.filter((ref) => refs.has(ref)) }));
  const metadata = { ...sbom.metadata, component: { ...component, name: 'gatebook' } };
  const whole = { ...sbom, metadata, components, dependencies };
  return { sbom: `${JSON.stringify(whole, null, 2)}\n`, components: components.length };
}

/** Package URLs of production packages in the lock file, without our workspaces, which are links. */
function productionPackages(lock: string): Set<string> {
  const packages = Object.entries(Lock.parse(JSON.parse(lock)).packages);
  const installed = packages.filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link);
  return new Set(
    installed.map(
      ([path, { name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), version }]) =>
        `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ),
  );
}

const isOurs = (purl: string) => purl.startsWith('pkg:npm/%40gatebook/') || purl.startsWith('pkg:npm/gatebook@');
const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;
