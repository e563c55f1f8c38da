import { createContext, useContext, useLayoutEffect } from 'react';

type FormDialogState = { setSubmitting: (isSubmitting: boolean) => void; setEdited: (isEdited: boolean) => void };
export const FormDialogContext = createContext<FormDialogState>({ setSubmitting: () => {}, setEdited: () => {} });

/** While the form of a dialog is submitted, it can leave the page. */
export function useSubmitting(isSubmitting: boolean): void {
  const { setSubmitting } = useContext(FormDialogContext);
  useLayoutEffect(() => setSubmitting(isSubmitting), [setSubmitting, isSubmitting]);
}

/** Says that nothing typed is left, for a form that stays open when it is saved. */
export function useMarkSaved(): () => void {
  const { setEdited } = useContext(FormDialogContext);
  return () => setEdited(false);
}
