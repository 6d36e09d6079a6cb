//! A Bevy app that renders perspective views of a scene.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::asset::RenderAssetUsages;
use bevy::camera::{Camera3dDepthTextureUsage, ClearColorConfig, PerspectiveProjection, RenderTarget};
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::image::{ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    Buffer, BufferDescriptor, BufferUsages, Extent3d, Texture, TextureDimension, TextureFormat, TextureUsages,
};
use bevy::render::renderer::RenderQueue;
use bevy::render::sync_world::RenderEntity;
use bevy::render::texture::GpuImage;
use bevy::render::view::ViewDepthTexture;
use bunraku_body::ToBevy;
use bunraku_render::{Lighting, Linear, Model, Part, Picture, PlacedPicture, View};
use nalgebra::{Isometry3, Vector3};
use wgpu::{
    CommandEncoderDescriptor, MapMode, Origin3d, TexelCopyBufferInfo, TexelCopyBufferLayout, TexelCopyTextureInfo,
    TextureAspect,
};

use super::{lights, material};
use crate::picture::PictureError;
use crate::picture::device::Device;
use crate::picture::headless::{Deadline, Headless};
use material::Surface;

/// Minimum distance of the near plane, m: graphics cards need it to be positive.
const LEAST_NEAR: f64 = 1e-4;

/// Distance of the graphics card's near plane as a fraction of the camera's. Fragments between the two are discarded by
/// the shader, which accounts for distances along the axis or along the ray.
const NEAR_SHARE: f64 = 0.5;

/// A perspective image to render.
pub struct Shot<'a> {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Focal length, pixels.
    pub focal_length: f64,
    /// Optical frame in the world.
    pub eye: Isometry3<f64>,
    /// Direction to the back of the camera in that frame.
    pub back: Vector3<f64>,
    /// View of the sensor, with its near and far distances.
    pub view: &'a View,
}

/// A rendered image, row by row from the upper left.
pub struct Drawn {
    /// Colours, sRGB.
    pub colors: Vec<[u8; 3]>,
    /// Distances along the axis, m; +∞ without a hit.
    pub depths: Vec<f32>,
}

/// Rendered part of a model.
type DrawnPart = (Handle<Mesh>, Handle<Surface>);
type KnownModel = (Arc<Model>, Vec<DrawnPart>);
type KnownPicture = (Arc<Picture>, Handle<Image>);

/// The app, and the cached data of the scene.
pub struct Canvas {
    headless: Headless,
    lighting: Buffer,
    /// By address of the model, which is kept alive so that its address is not reused.
    models: HashMap<*const Model, KnownModel>,
    /// By image, and whether it is repeated.
    pictures: HashMap<(*const Picture, [bool; 2]), KnownPicture>,
    /// Instances of the scene.
    shown: Vec<(Arc<Model>, Vec<Entity>)>,
    /// A camera for each size of images.
    cameras: HashMap<[u32; 2], (Entity, Handle<Image>)>,
    /// Whether anything was added after the last image.
    is_new: bool,
}

impl Canvas {
    pub fn new(device: Device) -> Self {
        let headless = Headless::new(device, material::add);
        let lighting = lighting_buffer(&headless, 0);
        Self {
            headless,
            lighting,
            models: HashMap::new(),
            pictures: HashMap::new(),
            shown: Vec::new(),
            cameras: HashMap::new(),
            is_new: true,
        }
    }

    /// Maximum length of a side, pixels.
    pub fn largest_side(&self) -> u32 {
        self.headless.device.limits().max_texture_dimension_2d
    }

    pub fn draw(
        &mut self,
        instances: &[(Arc<Model>, Isometry3<f64>)],
        lighting: &Lighting,
        shot: &Shot<'_>,
    ) -> Result<Drawn, PictureError> {
        let bytes = lights::bytes(lighting, shot.view, &shot.eye, &shot.back);
        self.make_room_for_lights(bytes.len() as u64);
        self.show(instances, &shot.eye);
        let (camera, film) = self.set_camera(shot, lighting.background);
        let deadline = Deadline::of_a_picture();
        self.queue()?.write_buffer(&self.lighting, 0, &bytes);
        if std::mem::take(&mut self.is_new) {
            self.headless.settle(deadline)?;
        } else {
            self.headless.draw_frame(deadline)?;
        }
        self.read(camera, &film, shot, deadline)
    }

    /// Places the instances of a scene relative to the eye.
    fn show(&mut self, instances: &[(Arc<Model>, Isometry3<f64>)], eye: &Isometry3<f64>) {
        let are_shown = self.shown.len() == instances.len()
            && self.shown.iter().zip(instances).all(|((shown, _), (model, _))| Arc::ptr_eq(shown, model));
        if !are_shown {
            for entity in self.shown.drain(..).flat_map(|(_, entities)| entities) {
                self.headless.app.world_mut().despawn(entity);
            }
            for (model, _) in instances {
                let parts = self.parts_of(model);
                let world = self.headless.app.world_mut();
                let spawn = |(mesh, surface)| {
                    world
                        .spawn((Mesh3d(mesh), MeshMaterial3d(surface), Transform::default(), Visibility::default()))
                        .id()
                };
                let entities = parts.into_iter().map(spawn).collect();
                self.shown.push((Arc::clone(model), entities));
            }
            self.models.retain(|_, (model, _)| instances.iter().any(|(other, _)| Arc::ptr_eq(model, other)));
            self.is_new = true;
        }
        let from_eye = eye.inverse();
        let world = self.headless.app.world_mut();
        for ((_, entities), (_, pose)) in self.shown.iter().zip(instances) {
            let pose = from_eye * pose;
            // Instances with a pose that is not finite are hidden.
            let is_somewhere = pose.to_homogeneous().iter().all(|value| value.is_finite());
            for &entity in entities {
                if let Ok(mut entity) = world.get_entity_mut(entity) {
                    let visibility = if is_somewhere { Visibility::Inherited } else { Visibility::Hidden };
                    entity.insert((if is_somewhere { pose.to_bevy() } else { Transform::default() }, visibility));
                }
            }
        }
    }

    /// Rendered parts of a model, created on first use.
    fn parts_of(&mut self, model: &Arc<Model>) -> Vec<DrawnPart> {
        if let Some((_, parts)) = self.models.get(&Arc::as_ptr(model)) {
            return parts.clone();
        }
        let mut drawn = Vec::new();
        for part in model.parts() {
            let picture = part.material.picture.as_ref().map(|placed| self.picture(placed));
            let surface = Surface::new(&part, picture, self.lighting.clone());
            let world = self.headless.app.world_mut();
            let mesh = world.resource_mut::<Assets<Mesh>>().add(mesh(&part));
            drawn.push((mesh, world.resource_mut::<Assets<Surface>>().add(surface)));
        }
        self.models.insert(Arc::as_ptr(model), (Arc::clone(model), drawn.clone()));
        drawn
    }

    fn picture(&mut self, placed: &PlacedPicture) -> Handle<Image> {
        let key = (Arc::as_ptr(&placed.picture), placed.repeat);
        if let Some((_, image)) = self.pictures.get(&key) {
            return image.clone();
        }
        let pixels = placed.picture.pixels();
        let mut image = Image::new(
            Extent3d { width: pixels.width, height: pixels.height, depth_or_array_layers: 1 },
            TextureDimension::D2,
            pixels.rgba.as_flattened().to_vec(),
            TextureFormat::Rgba8UnormSrgb,
            RenderAssetUsages::RENDER_WORLD,
        );
        let mode = |repeat: bool| if repeat { ImageAddressMode::Repeat } else { ImageAddressMode::ClampToEdge };
        let [s, t] = placed.repeat.map(mode);
        image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
            address_mode_u: s,
            address_mode_v: t,
            ..ImageSamplerDescriptor::linear()
        });
        let image = self.headless.app.world_mut().resource_mut::<Assets<Image>>().add(image);
        self.pictures.insert(key, (Arc::clone(&placed.picture), image.clone()));
        image
    }

    /// The camera for images of this size, set up for this image, and its target.
    fn set_camera(&mut self, shot: &Shot<'_>, background: Linear) -> (Entity, Handle<Image>) {
        let [width, height] = shot.size;
        let world = self.headless.app.world_mut();
        let (camera, film) = self.cameras.entry(shot.size).or_insert_with(|| {
            self.is_new = true;
            let mut film = Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
            film.texture_descriptor.usage |= TextureUsages::COPY_SRC;
            let film = world.resource_mut::<Assets<Image>>().add(film);
            let depth_texture_usages: Camera3dDepthTextureUsage =
                (TextureUsages::RENDER_ATTACHMENT | TextureUsages::COPY_SRC).into();
            let camera = world.spawn((
                Camera3d { depth_texture_usages, ..default() },
                RenderTarget::Image(film.clone().into()),
                Tonemapping::None,
                DebandDither::Disabled,
                Msaa::Off,
                Transform::default(),
            ));
            (camera.id(), film)
        });
        let (camera, film) = (*camera, film.clone());
        for &(other, _) in self.cameras.values() {
            if let Some(mut settings) = world.get_mut::<Camera>(other) {
                settings.is_active = other == camera;
            }
        }
        let Linear([red, green, blue]) = background;
        let projection = PerspectiveProjection {
            fov: (2.0 * (f64::from(height) / 2.0 / shot.focal_length).atan()) as f32,
            aspect_ratio: width as f32 / height as f32,
            near: near_plane(shot.view) as f32,
            far: shot.view.far.min(1e9) as f32,
            ..default()
        };
        let clear_color = ClearColorConfig::Custom(Color::linear_rgb(red, green, blue));
        if let Some(mut settings) = world.get_mut::<Camera>(camera) {
            settings.clear_color = clear_color;
        }
        world.entity_mut(camera).insert(Projection::from(projection));
        (camera, film)
    }

    /// Enlarges the buffer of lights if it is too small.
    fn make_room_for_lights(&mut self, size: u64) {
        if self.lighting.size() >= size {
            return;
        }
        self.lighting = lighting_buffer(&self.headless, size);
        let mut surfaces = self.headless.app.world_mut().resource_mut::<Assets<Surface>>();
        let known: Vec<_> = surfaces.ids().collect();
        for id in known {
            if let Some(mut surface) = surfaces.get_mut(id) {
                surface.lighting = self.lighting.clone();
            }
        }
        self.is_new = true;
    }

    fn queue(&self) -> Result<RenderQueue, PictureError> {
        let queue = self.headless.app.get_sub_app(RenderApp).and_then(|app| app.world().get_resource::<RenderQueue>());
        queue.cloned().ok_or_else(|| failure("there is no queue to the graphics device"))
    }

    fn read(
        &self,
        camera: Entity,
        film: &Handle<Image>,
        shot: &Shot<'_>,
        deadline: Deadline,
    ) -> Result<Drawn, PictureError> {
        let world = self.headless.app.world();
        let rendered = self.headless.app.get_sub_app(RenderApp).map(SubApp::world);
        let rendered = rendered.ok_or_else(|| failure("it is gone"))?;
        let depth = world.get::<RenderEntity>(camera).and_then(|view| rendered.get::<ViewDepthTexture>(view.id()));
        let depth = depth.map(|depth| &depth.texture).ok_or_else(|| failure("there are no depths"))?;
        let color = rendered.get_resource::<RenderAssets<GpuImage>>().and_then(|images| images.get(film));
        let color = color.map(|image| &image.texture).ok_or_else(|| failure("there are no colours"))?;
        let colors = self.download(color, TextureAspect::All, shot.size, deadline)?;
        let depths = self.download(depth, TextureAspect::DepthOnly, shot.size, deadline)?;
        // The depth value of the card is near / depth, and 0 without a hit.
        let near = near_plane(shot.view) as f32;
        Ok(Drawn {
            colors: colors.into_iter().map(|[red, green, blue, _]| [red, green, blue]).collect(),
            depths: depths.into_iter().map(|bytes| near / f32::from_le_bytes(bytes)).collect(),
        })
    }

    /// Reads the pixels of a texture with four bytes each.
    fn download(
        &self,
        texture: &Texture,
        aspect: TextureAspect,
        [width, height]: [u32; 2],
        deadline: Deadline,
    ) -> Result<Vec<[u8; 4]>, PictureError> {
        let device = &self.headless.device;
        let row = 4 * width as usize;
        let padded = bevy::render::renderer::RenderDevice::align_copy_bytes_per_row(row);
        let buffer = device.create_buffer(&BufferDescriptor {
            label: Some("pixels of a sensor's camera"),
            size: (padded * height as usize) as u64,
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&CommandEncoderDescriptor::default());
        encoder.copy_texture_to_buffer(
            TexelCopyTextureInfo { texture, mip_level: 0, origin: Origin3d::ZERO, aspect },
            TexelCopyBufferInfo {
                buffer: &buffer,
                layout: TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: u32::try_from(padded).ok(),
                    rows_per_image: Some(height),
                },
            },
            Extent3d { width, height, depth_or_array_layers: 1 },
        );
        self.queue()?.submit([encoder.finish()]);
        let (done, result) = std::sync::mpsc::channel();
        let slice = buffer.slice(..);
        slice.map_async(MapMode::Read, move |mapped| {
            let _ = done.send(mapped);
        });
        self.headless.wait(deadline)?;
        match result.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(failure(&error.to_string())),
            Err(_) => return Err(failure("its pixels did not arrive")),
        }
        let bytes = slice.get_mapped_range();
        let rows = bytes.chunks(padded).map(|padded| padded.get(..row).unwrap_or_default());
        Ok(rows.flat_map(|row| row.as_chunks::<4>().0).copied().collect())
    }
}

fn failure(reason: &str) -> PictureError {
    PictureError::Rendering(reason.to_owned())
}

fn near_plane(view: &View) -> f64 {
    (NEAR_SHARE * view.near).max(LEAST_NEAR)
}

fn lighting_buffer(headless: &Headless, size: u64) -> Buffer {
    headless.device.create_buffer(&BufferDescriptor {
        label: Some("what lights the pictures of sensors"),
        size: size.next_power_of_two().max(1024),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

fn mesh(part: &Part<'_>) -> Mesh {
    let corners = &part.corners;
    let positions: Vec<[f32; 3]> = corners.iter().map(|corner| corner.position.into()).collect();
    let normals: Vec<[f32; 3]> = corners.iter().map(|corner| corner.normal.into()).collect();
    let texture: Vec<[f32; 2]> = corners.iter().map(|corner| corner.texture.into()).collect();
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, texture);
    if corners.iter().all(|corner| corner.color == Linear([1.0; 3])) {
        return mesh;
    }
    let color = |Linear([red, green, blue]): Linear| [red, green, blue, 1.0];
    let colors: Vec<[f32; 4]> = corners.iter().map(|corner| color(corner.color)).collect();
    mesh.with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors)
}
