'use client';

import { SelectedTeamSwitcher, useUser } from '@stackframe/stack';

/** The switcher fails if it stays on the page after the user has signed out, so this component removes it in time. */
export function TeamSwitcher() {
  return useUser() && <SelectedTeamSwitcher />;
}
