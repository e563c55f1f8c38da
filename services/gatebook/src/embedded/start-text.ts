type Started = {
  publicUrl: string;
  dataDir: string;
  setupToken: string | null;
  hasInbox: boolean;
  simulatorUrl: string | null;
};

/** The text that a start prints: URLs and the next step. */
export function describeStart({ publicUrl, dataDir, setupToken, hasInbox, simulatorUrl }: Started): string {
  return [
    '',
    'Gatebook is running.',
    '',
    `  Dashboard    ${publicUrl}`,
    `  API          ${publicUrl}/api/v1`,
    `  Reference    ${publicUrl}/docs`,
    ...(hasInbox
      ? [`  Inbox        ${publicUrl}/inbox   (emails are kept here; set GATEBOOK_SMTP_URL to send them)`]
      : []),
    ...(simulatorUrl
      ? [
          `  Providers    a simulator for development at ${simulatorUrl}   (set GATEBOOK_SHARED_OAUTH_… to use real keys)`,
        ]
      : []),
    `  Data         ${dataDir}`,
    '',
    `  Next         ${nextStep(publicUrl, setupToken).join('\n               ')}`,
    '',
    '  Ctrl-C stops it.',
    '',
  ].join('\n');
}

/** The text that the start of an API process prints. */
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
    `Create the owner account: ${publicUrl}/setup?token=${setupToken}`,
    '(this link works once and for one day; a restart prints a new one)',
  ];
}
