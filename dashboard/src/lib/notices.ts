import { createContext, useContext } from 'react';

type Notify = (text: string) => void;

/** Says in a toast what was done. A context, because the toast outlives the dialog that did it. */
export const NoticeContext = createContext<Notify>(() => {});

export const useNotify = (): Notify => useContext(NoticeContext);
