//! Graphics device. Bevy panics without one; this checks first.

use std::sync::Arc;

use bevy::render::renderer::{
    RenderAdapter, RenderAdapterInfo, RenderDevice, RenderInstance, RenderQueue, WgpuWrapper,
};
use bevy::render::settings::RenderCreation;
use bevy::tasks::block_on;
use wgpu::{Backends, DeviceDescriptor, DeviceType, Features, Instance, InstanceDescriptor, RequestAdapterOptions};

use super::data::PictureError;

/// A graphics device to draw with.
pub struct Device {
    pub device: RenderDevice,
    pub creation: RenderCreation,
    /// Whether the processor renders.
    pub is_software: bool,
}

/// Bevy's ambient occlusion, which images do not use, creates textures in formats that are optional.
const WANTED_FEATURES: Features = Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;

/// Opens the first adapter of the machine; a software driver is accepted.
pub fn open() -> Result<Device, PictureError> {
    open_among(Backends::PRIMARY)
}

fn open_among(backends: Backends) -> Result<Device, PictureError> {
    let instance = Instance::new(InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() });
    let adapter = block_on(instance.request_adapter(&RequestAdapterOptions::default()))
        .map_err(|error| PictureError::NoAdapter(error.to_string()))?;
    let info = adapter.get_info();
    // Only the optional features that Bevy's plugins need: the same rendering path everywhere, without features that
    // software drivers implement incorrectly.
    let required_features = adapter.features() & WANTED_FEATURES;
    let required_limits = adapter.limits();
    let description = DeviceDescriptor { required_features, required_limits, ..DeviceDescriptor::default() };
    let (device, queue) = block_on(adapter.request_device(&description))
        .map_err(|error| PictureError::NoDevice { adapter: info.name.clone(), reason: error.to_string() })?;
    let device = RenderDevice::from(device);
    let is_software = info.device_type == DeviceType::Cpu;
    let creation = RenderCreation::manual(
        device.clone(),
        RenderQueue(Arc::new(WgpuWrapper::new(queue))),
        RenderAdapterInfo(WgpuWrapper::new(info)),
        RenderAdapter(Arc::new(WgpuWrapper::new(adapter))),
        RenderInstance(Arc::new(WgpuWrapper::new(instance))),
    );
    Ok(Device { device, creation, is_software })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_graphics_gives_an_error() {
        assert!(matches!(open_among(Backends::empty()), Err(PictureError::NoAdapter(_))));
    }
}
