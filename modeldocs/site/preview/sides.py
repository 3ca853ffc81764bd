"""Both sides of a change, loaded by this version of modeldocs, and compared with each other."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from modeldocs import catalog
from modeldocs.catalog import Catalog, Model, Port
from modeldocs.errors import ModeldocsError
from modeldocs.git import Repository
from modeldocs.site.preview import reach, untrusted
from modeldocs.site.preview.document import Revision
from modeldocs.site.preview.reach import Tree
from modeldocs.tasks import build as tasks
from modeldocs.tasks.build import Pairing
from modeldocs.tasks.pool import Pool, Progress
from modeldocs.tasks.results import Results
from modeldocs.tasks.store import Store


@dataclass(frozen=True)
class Request:
    """What to preview: the change from the commit at which `head` left `base`.

    `head` None is the working tree. `models` is the catalog's folder. With `whole` the site has
    every model, else those that the change reaches. Without `prove` no port is run in its
    framework; proofs that the store holds count.
    """

    base: str
    head: str | None
    models: str
    store: Store
    whole: bool = False
    prove: bool = True
    jobs: int | None = None


@dataclass(frozen=True)
class PreviewSide:
    """The models that a change reaches, as they are on one side, and their results."""

    revision: Revision
    catalog: Catalog
    results: Results

    def port(self, name: str) -> tuple[Model, Port] | None:
        """The model and port of that name, None where this side has none."""
        return self.catalog.port(name) if name in self.catalog else None


@dataclass(frozen=True)
class Sides:
    """Both sides, and what compares them.

    `reached` are the names of the ports that may have changed, `across` holds the diff and the
    parity of each of them that loaded on both sides. `untouched` is the number of other ports.
    `site` is what the site shows: the models of `after`, or the whole catalog with its results.
    `inside` is the path of the catalog's folder in the repository, `is_proven` whether ports were
    run in their frameworks.
    """

    before: PreviewSide
    after: PreviewSide
    reached: tuple[str, ...]
    across: Results
    untouched: int
    site: tuple[Catalog, Results]
    inside: str
    is_proven: bool


@contextlib.contextmanager
def compare(request: Request, progress: Progress) -> Iterator[Sides]:
    """Load, prove and compare both sides of a change; their files are there within the block.

    Raises:
        ModeldocsError: it is no repository, has no such revision, or does not hold the catalog.
    """
    models = Path(request.models).resolve()
    repository = Repository.around(Path(request.models).absolute().parent)
    if not models.is_relative_to(repository.root):
        raise ModeldocsError(
            "the catalog lies outside the repository", file=models.name, fix="pass --models DIR"
        )
    _check_store(request.store, repository)
    end = repository.commit(request.head or "HEAD")
    start = repository.merge_base(repository.commit(request.base), end)
    changed = repository.changed(start, end if request.head else None)
    inside = str(models.relative_to(repository.root))
    with contextlib.ExitStack() as stack:
        own = request.head is None  # else no program runs on the files of the change
        base = stack.enter_context(repository.checkout(start, filters=own))
        if own:
            head = repository.root
            trees = _tree(base, inside), _own(_tree(head, inside), repository)
        else:
            head = stack.enter_context(repository.checkout(end, filters=own))
            trees = _cleared(base, inside, repository), _cleared(head, inside, repository)
        if not any(Path(tree.catalog.root).is_dir() for tree in trees):
            catalog.existing(models)  # which tells that it is not there
        modified = request.head is None and bool(repository.changed(end, None))
        revisions = Revision(commit=start), Revision(commit=end, modified=modified)
        yield _sides(request, inside, revisions, trees, changed, progress)


def _check_store(store: Store, repository: Repository) -> None:
    """Refuse a store that comes with the change, which could hold results of no run."""
    places = store.folder.absolute(), store.folder.resolve()
    if any(repository.tracks(place) for place in places):
        raise ModeldocsError(
            "the store is under version control, where a change could forge results",
            file=store.folder.name,
            fix=f"git rm -r --cached {store.folder.name}, or pass --store DIR",
        )


def _tree(folder: Path, inside: str) -> Tree:
    """The catalog in a folder; empty where there is none yet."""
    root = folder / inside
    is_there = _holds(folder, inside)
    return Tree(folder, catalog.read(root) if is_there else Catalog(root=str(root)))


def _holds(folder: Path, inside: str) -> bool:
    """Whether there is a catalog below a folder, not where a link out of it leads to."""
    root = folder / inside
    return root.is_dir() and root.resolve().is_relative_to(folder)


def _cleared(folder: Path, inside: str, repository: Repository) -> Tree:
    """The catalog in a checkout, without what a preview does not read."""
    if not _holds(folder, inside):
        return _tree(folder, inside)  # nothing is deleted where a link leads to
    untrusted.fill(folder / inside, repository.lfs)
    failures = untrusted.clear(folder / inside, folder)
    tree = _tree(folder, inside)
    return Tree(folder, untrusted.with_failures(tree.catalog, failures))


def _own(tree: Tree, repository: Repository) -> Tree:
    """The catalog of the working tree without what git ignores, which is part of no change."""
    ignored = repository.ignored()
    kept = [_without(model, tree.folder, ignored) for model in tree.catalog.models]
    models = tuple(model for model in kept if model is not None)
    return Tree(tree.folder, msgspec.structs.replace(tree.catalog, models=models))


def _without(model: Model, folder: Path, ignored: Collection[str]) -> Model | None:
    def is_kept(path: str) -> bool:
        parts = Path(os.path.relpath(path, folder))
        return not any(str(place) in ignored for place in (parts, *parts.parents))

    if not is_kept(model.folder):
        return None
    ports = [p for p in model.ports if p.request.path is None or is_kept(p.request.path)]
    return msgspec.structs.replace(model, ports=tuple(ports))


def _sides(
    request: Request,
    inside: str,
    revisions: tuple[Revision, Revision],
    trees: tuple[Tree, Tree],
    changed: Collection[str],
    progress: Progress,
) -> Sides:
    store = request.store
    ports = reach.reached(*trees, changed, store)
    models = reach.models(*trees, ports, changed)

    def is_reached(model: Model) -> bool:
        return model.id in models

    with Pool(None, request.jobs, progress) as pool, store.in_use():
        proven = ports if request.prove else ()
        before, after = (
            _side(revision, _only(tree.catalog, is_reached), proven, pool, store)
            for revision, tree in zip(revisions, trees, strict=True)
        )
        site = (after.catalog, after.results)
        if request.whole:
            site = (trees[1].catalog, tasks.build(trees[1].catalog, store, pool=pool))
        across = tasks.compare(_pairings(before, after, sorted(ports)), store, pool)
    return Sides(
        before=before,
        after=after,
        reached=tuple(sorted(ports)),
        across=across,
        untouched=len(set(trees[1].ports()) - ports),
        site=site,
        inside=inside,
        is_proven=request.prove,
    )


def _only(whole: Catalog, kept: Callable[[Model], bool]) -> Catalog:
    return msgspec.structs.replace(whole, models=tuple(filter(kept, whole.models)))


def _side(
    revision: Revision, models: Catalog, proven: Collection[str], pool: Pool, store: Store
) -> PreviewSide:
    """One side, with the ports of those names proven."""
    proofs = tasks.verify(models, store, proven, pool=pool) if proven else None
    results = tasks.build(models, store, pool=pool)
    if proofs is not None:
        results.add_prevented(proofs)
    return PreviewSide(revision, models, results)


def _pairings(before: PreviewSide, after: PreviewSide, ports: list[str]) -> Iterator[Pairing]:
    for name in ports:
        old, new = before.port(name), after.port(name)
        if old is not None and new is not None:
            yield Pairing(
                name=name,
                a=before.results.loaded(*old),
                b=after.results.loaded(*new),
                limits=old[1].limits.wider(new[1].limits),
            )
