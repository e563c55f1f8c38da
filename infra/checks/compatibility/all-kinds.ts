import { adminKinds } from './admin-app.ts';
import { channelAndKeyKinds } from './channels-and-keys.ts';
import { clientApp } from './client-app.ts';
import { accountKinds } from './connected-accounts.ts';
import { currentUserKinds } from './current-users.ts';
import type { Kind } from './kinds.ts';
import { projectKinds } from './projects.ts';
import { serverApp } from './server-app.ts';
import { serverUserKinds } from './server-users.ts';
import { teamKinds } from './teams.ts';

export const kinds: readonly Kind[] = [
  clientApp,
  serverApp,
  ...adminKinds.slice(0, 1),
  ...currentUserKinds,
  ...serverUserKinds,
  ...teamKinds,
  ...channelAndKeyKinds,
  ...accountKinds,
  ...adminKinds.slice(1),
  ...projectKinds,
];
