"""What a build of the site keeps of the one before, so that it makes only what would be different.

What is kept, the key that it is kept under, and when it is thrown away:

- `stored_pages`: a model's pages as Markdown, by its part of the catalog and the results of its
  tasks; made again when that key differs.
- `page_groups`: the pages of a port, of a pair, or of the model itself, by what they show; made
  again when that differs.
- `stored_html`: pages as MkDocs rendered them, by the page and all that MkDocs reads; rendered
  again when either differs.
- `whole_site`: the state of a finished site, by every input of the build; forgotten when a file of
  it has changed.
- `template_cache`: compiled templates, by their source, until the process ends.

`mkdocs_inputs` says what MkDocs reads, as digests; where that is not known, nothing is reused.
`mkdocs_files` and `rendering` give MkDocs what is kept, and `set_aside` saves the files of a served
site while MkDocs empties its folder.
"""
