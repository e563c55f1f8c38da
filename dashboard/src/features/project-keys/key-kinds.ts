import type { ProjectKeyKind } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';

export const keyKinds: readonly { kind: ProjectKeyKind; name: string; prefix: string; use: string }[] = [
  {
    kind: 'publishableClientKey',
    name: t`Publishable client key`,
    prefix: 'pck_',
    use: t`For browsers and mobile apps. Safe to expose.`,
  },
  {
    kind: 'secretServerKey',
    name: t`Secret server key`,
    prefix: 'ssk_',
    use: t`For your servers. Can read and change all users.`,
  },
  {
    kind: 'superSecretAdminKey',
    name: t`Super secret admin key`,
    prefix: 'sak_',
    use: t`For tools that manage the project itself.`,
  },
];
