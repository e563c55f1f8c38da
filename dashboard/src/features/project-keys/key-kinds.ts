import type { ProjectKeyKind } from '@gatebook/js/admin';

export const keyKinds: readonly { kind: ProjectKeyKind; name: string; prefix: string; use: string }[] = [
  {
    kind: 'publishableClientKey',
    name: 'Publishable client key',
    prefix: 'pck_',
    use: 'For browsers and mobile apps. Safe to expose.',
  },
  {
    kind: 'secretServerKey',
    name: 'Secret server key',
    prefix: 'ssk_',
    use: 'For your servers. Can read and change all users.',
  },
  {
    kind: 'superSecretAdminKey',
    name: 'Super secret admin key',
    prefix: 'sak_',
    use: 'For tools that manage the project itself.',
  },
];
