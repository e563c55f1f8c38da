import { GatebookProvider } from '@gatebook/next';
import { GatebookHandler } from '@gatebook/next/handler';
import { handlerProps, type StackHandlerProps, type StackProviderProps } from './component-props.ts';

export const StackProvider = (props: StackProviderProps) => <GatebookProvider allowsUnknownTexts {...props} />;

export const StackHandler = (props: StackHandlerProps) => <GatebookHandler {...handlerProps(props)} />;
