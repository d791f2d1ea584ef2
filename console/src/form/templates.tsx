// How the parts of a form look: labels, descriptions, errors, lists.
import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type DescriptionFieldProps,
  descriptionId,
  errorId,
  type FieldErrorProps,
  type FieldTemplateProps,
  type MultiSchemaFieldTemplateProps,
  type TemplatesType,
  type TitleFieldProps,
  type UnsupportedFieldProps,
} from '@rjsf/utils'
import type { VNode } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { BUTTONS } from './buttons.tsx'

type Child = preact.ComponentChildren

/** The mark of a field that has to be filled in; the input itself says so to screen readers. */
export const Required = () => (
  <span class="required" aria-hidden="true">
    {' '}
    *
  </span>
)

/** The library marks no input as invalid. A group of inputs has no such state; its error is read with its legend. */
function useInvalid(id: string, isInvalid: boolean): void {
  useLayoutEffect(() => {
    const input = document.getElementById(id)
    if (input?.matches('input, select, textarea')) input.setAttribute('aria-invalid', String(isInvalid))
  }, [id, isInvalid])
}

/** Objects, arrays and unions have a legend; a checkbox has its own label. */
function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, children, errors, rawErrors = [], hidden, required, displayLabel, rawDescription, schema } = props
  useInvalid(id, rawErrors.length > 0)
  if (hidden) return <div hidden>{children as Child}</div>
  const isAdditional = ADDITIONAL_PROPERTY_FLAG in schema
  return (
    <div class={rawErrors.length > 0 ? 'form-field form-field-invalid' : 'form-field'}>
      {isAdditional && <PropertyName {...props} />}
      {displayLabel && (
        <label for={id}>
          {isAdditional ? 'Value' : label}
          {required && <Required />}
        </label>
      )}
      {displayLabel && rawDescription && <Description id={descriptionId(id)} text={rawDescription} />}
      {children as Child}
      {errors as Child}
    </div>
  )
}

/** The name of a member that the schema does not name. */
const PropertyName = ({ id, label, onKeyRenameBlur, onRemoveProperty }: FieldTemplateProps) => (
  <div class="row">
    <label for={`${id}-key`}>Name</label>
    <input id={`${id}-key`} type="text" defaultValue={label} onBlur={onKeyRenameBlur as never} />
    <button type="button" class="button button-small" onClick={onRemoveProperty as never}>
      Remove
    </button>
  </div>
)

const Description = ({ id, text }: { id: string; text: string }) => (
  <p id={id} class="form-description hint">
    {text}
  </p>
)

const DescriptionFieldTemplate = ({ id, description }: DescriptionFieldProps) =>
  typeof description === 'string' && description !== '' ? <Description id={id} text={description} /> : null

const TitleFieldTemplate = ({ id, title, required }: TitleFieldProps) => (
  <legend id={id}>
    {title}
    {required && <Required />}
  </legend>
)

const FieldErrorTemplate = ({ errors = [], fieldPathId }: FieldErrorProps) =>
  errors.length === 0 ? null : (
    <ul id={errorId(fieldPathId)} class="form-errors">
      {errors.map((error, index) => (
        <li key={index}>{error as Child}</li>
      ))}
    </ul>
  )

function ArrayFieldItemTemplate(props: ArrayFieldItemTemplateProps) {
  const { children, buttonsProps, hasToolbar, registry, index } = props
  const { ArrayFieldItemButtonsTemplate: Buttons } = registry.templates
  return (
    <fieldset class="form-item" aria-label={`Item ${index + 1}`}>
      <div class="form-item-field">{children as Child}</div>
      {hasToolbar && (
        <div class="row">
          <Buttons {...buttonsProps} />
        </div>
      )}
    </fieldset>
  )
}

/** The selector is a select without a label of its own. */
const MultiSchemaFieldTemplate = ({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) => (
  <div class="form-union">
    {selector && (
      <label class="hint" for={(selector as VNode<{ id: string }>).props.id}>
        One of
      </label>
    )}
    {selector as Child}
    {optionSchemaField as Child}
  </div>
)

const UnsupportedFieldTemplate = ({ reason }: UnsupportedFieldProps) => (
  <p class="notice notice-warning">The form cannot show this part ({reason}). Write it in the JSON.</p>
)

export const TEMPLATES = {
  FieldTemplate,
  DescriptionFieldTemplate,
  TitleFieldTemplate,
  FieldErrorTemplate,
  ArrayFieldItemTemplate,
  MultiSchemaFieldTemplate,
  UnsupportedFieldTemplate,
  ErrorListTemplate: () => null,
  ButtonTemplates: BUTTONS,
} as unknown as Partial<TemplatesType>
