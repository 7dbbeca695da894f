//! What the gltf crate takes for granted when it reads an accessor, checked.

use gltf::{
    Accessor,
    accessor::{DataType, Dimensions, Item, Iter, sparse::IndexType},
    buffer::View,
};

use super::{
    document::{Document, MAX_ZEROS},
    findings::Flaw,
    sound,
    words::counted,
};

/// All elements of an accessor, if they are there and of one of these types.
pub fn read<T: Item>(
    document: &Document,
    accessor: Accessor<'_>,
    dimensions: Dimensions,
    types: &[DataType],
) -> Result<Vec<T>, Flaw> {
    check(document, &accessor, dimensions, types)?;
    let index = accessor.index();
    let elements = Iter::new(accessor, |buffer| document.bytes(buffer.index()));
    Ok(elements.ok_or_else(|| format!("accessor {index} cannot be read"))?.collect())
}

pub fn check(
    document: &Document,
    accessor: &Accessor<'_>,
    dimensions: Dimensions,
    types: &[DataType],
) -> Result<(), Flaw> {
    let index = accessor.index();
    sound::accessor(document, index).map_err(|flaw| flaw.of(&format!("accessor {index}")))?;
    if accessor.dimensions() != dimensions || !types.contains(&accessor.data_type()) {
        return Err(format!(
            "accessor {index} holds {:?} {:?}",
            accessor.data_type(),
            accessor.dimensions()
        )
        .into());
    }
    let (count, size) = (accessor.count(), accessor.size());
    if count == 0 {
        return Err(format!("accessor {index} is empty").into());
    }
    match (accessor.view(), accessor.sparse()) {
        (Some(view), _) => fits(document, &view, accessor.offset(), count, size)?,
        // Zeros, but for the sparse ones.
        (None, Some(_)) if count <= MAX_ZEROS => {}
        (None, _) => {
            return Err(format!("accessor {index} has {count} elements without data").into());
        }
    }
    if let Some(sparse) = accessor.sparse() {
        let (indices, values) = (sparse.indices(), sparse.values());
        let index_size = match indices.index_type() {
            IndexType::U8 => 1,
            IndexType::U16 => 2,
            IndexType::U32 => 4,
        };
        if sparse.count() == 0 || sparse.count() > count {
            return Err(format!(
                "accessor {index} replaces {} of {}",
                sparse.count(),
                counted(count, "element")
            )
            .into());
        }
        fits(document, &indices.view(), indices.offset(), sparse.count(), index_size)?;
        fits(document, &values.view(), values.offset(), sparse.count(), size)?;
    }
    Ok(())
}

/// The bytes of a view.
pub fn view<'a>(document: &'a Document, view: &View<'_>) -> Result<&'a [u8], Flaw> {
    fits(document, view, 0, view.length(), 1)?;
    let bytes = document
        .bytes(view.buffer().index())
        .and_then(|bytes| bytes.get(view.offset()..)?.get(..view.length()));
    bytes.ok_or_else(|| format!("buffer view {} is beyond its buffer", view.index()).into())
}

/// Whether `count` elements of `size` bytes are there.
fn fits(
    document: &Document,
    view: &View<'_>,
    offset: usize,
    count: usize,
    size: usize,
) -> Result<(), Flaw> {
    let buffer = view.buffer().index();
    let Some(bytes) = document.bytes(buffer) else { return Err(Flaw::MissingBuffer(buffer)) };
    let stride = view.stride().unwrap_or(size);
    if stride < size {
        return Err(format!("its elements overlap in buffer view {}", view.index()).into());
    }
    let needed =
        || offset.checked_add(count.checked_sub(1)?.checked_mul(stride)?)?.checked_add(size);
    let view_end = view.offset().checked_add(view.length());
    match (needed(), view_end) {
        (Some(needed), Some(end)) if needed <= view.length() && end <= bytes.len() => Ok(()),
        _ => {
            Err(format!("it reaches beyond buffer view {} or buffer {buffer}", view.index()).into())
        }
    }
}
