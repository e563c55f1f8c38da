type Started = {
  publicUrl: string;
  dataDir: string;
  setupToken: string | null;
  hasInbox: boolean;
  simulatorUrl: string | null;
};

/** The block that a start prints: where everything is, and what to do next. */
export function describeStart({ publicUrl, dataDir, setupToken, hasInbox, simulatorUrl }: Started): string {
  return [
    '',
    'Gatebook is running.',
    '',
    `  Dashboard    ${publicUrl}`,
    `  API          ${publicUrl}/api/v1`,
    `  Reference    ${publicUrl}/docs`,
    ...(hasInbox ? [`  Inbox        ${publicUrl}/inbox   (mails stay here; GATEBOOK_SMTP_URL sends them)`] : []),
    ...(simulatorUrl
      ? [`  Providers    a simulator for development at ${simulatorUrl}   (GATEBOOK_SHARED_OAUTH_… sets real keys)`]
      : []),
    `  Data         ${dataDir}`,
    '',
    `  Next         ${nextStep(publicUrl, setupToken).join('\n               ')}`,
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n');
}

/** The lines that an API of a distributed run prints. */
export function describeApiStart({
  host,
  port,
  publicUrl,
  setupToken,
}: Pick<Started, 'publicUrl' | 'setupToken'> & { host: string; port: number }): string {
  const lines = [`Gatebook api is running at ${host}:${port} for ${publicUrl}.`];
  return [...lines, ...(setupToken === null ? [] : nextStep(publicUrl, setupToken))].join('\n');
}

function nextStep(publicUrl: string, setupToken: string | null): string[] {
  if (setupToken === null) return [`Sign in at ${publicUrl}`];
  return [
    `Make the first owner: ${publicUrl}/setup?token=${setupToken}`,
    '(this link works once, for a day; another start prints another)',
  ];
}
