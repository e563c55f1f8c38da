import { lateDialog } from './late-dialog.tsx';

/** Asks for confirmation before a destructive or far-reaching action. */
export const ConfirmDialog = lateDialog(async () => (await import('./confirmation.tsx')).Confirmation);
