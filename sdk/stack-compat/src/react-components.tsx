'use client';

import { GatebookProvider } from '@gatebook/react';
import { GatebookHandler } from '@gatebook/react/pages';
import { handlerProps, type StackHandlerProps, type StackProviderProps } from './component-props.ts';
import type { StackClientApp } from './react-app.ts';

export const StackProvider = ({ app, ...props }: StackProviderProps) => (
  <GatebookProvider allowsUnknownTexts app={app as StackClientApp} {...props} />
);

export const StackHandler = (props: StackHandlerProps) => <GatebookHandler {...handlerProps(props)} />;
