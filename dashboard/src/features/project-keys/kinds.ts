import type { ProjectKeyKind } from '@gatebook/js/project-keys';

export const keyKinds: readonly { kind: ProjectKeyKind; name: string; prefix: string; use: string }[] = [
  {
    kind: 'publishableClientKey',
    name: 'Publishable client key',
    prefix: 'pck_',
    use: 'For apps and browsers; may be seen by anybody.',
  },
  {
    kind: 'secretServerKey',
    name: 'Secret server key',
    prefix: 'ssk_',
    use: 'For your servers: reads and changes every user.',
  },
  {
    kind: 'superSecretAdminKey',
    name: 'Super secret admin key',
    prefix: 'sak_',
    use: 'For tools that change the project itself.',
  },
];
