import { z } from 'zod';

const severities = ['info', 'low', 'moderate', 'high', 'critical'] as const;
const Report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      name: z.string(),
      severity: z.enum(severities),
      range: z.string(),
      via: z.array(z.unknown()),
      /** Where it is installed: keys of the lock file. */
      nodes: z.array(z.string()),
    }),
  ),
});
const Advisory = z.object({ title: z.string(), url: z.string() });

export type AuditVerdict = { outcome: 'clean' | 'vulnerable' | 'unknown'; lines: string[] };

/**
 * Interprets the output of `npm audit --json`; `unknown` if it could not reach the registry.
 * @param isDevelopment whether a key of the lock file is a development dependency, which is ignored
 */
export function judgeAudit(printed: string, isDevelopment: (node: string) => boolean): AuditVerdict {
  const report = Report.safeParse(parsed(printed));
  if (!report.success) {
    return {
      outcome: 'unknown',
      lines: ['WARNING: the registry could not be asked for advisories; nothing was checked.'],
    };
  }
  const all = Object.values(report.data.vulnerabilities);
  const found = all.filter(({ nodes }) => !nodes.every(isDevelopment));
  const isVulnerable = found.some(({ severity }) => severity === 'high' || severity === 'critical');
  const lines = found.flatMap(({ name, severity, range, via }) => {
    const advisories = via.flatMap((one) => Advisory.safeParse(one).data ?? []);
    return advisories.map(({ title, url }) => `${severity.toUpperCase()} ${name} ${range}: ${title} ${url}`);
  });
  return {
    outcome: isVulnerable ? 'vulnerable' : 'clean',
    lines: [...lines, `${found.length} packages with advisories`],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
